import { HttpFailure } from '../../src/contract/node-type.ts';
import type { HttpRequest, NodeFailure } from '../../src/contract/node-type.ts';
import type { MemoryBudget } from '../../src/lib/limits/memory-budget.ts';
import { parseAllowedHosts } from '../../src/runner/allowed-hosts.ts';
import type { EgressClient } from '../../src/runner/http/egress-client.ts';
import { createEgressClient } from '../../src/runner/http/egress-client.ts';
import type { Resolve } from '../../src/runner/dns-resolver.ts';
import { realClock, serve } from './servers/http-server.ts';
import type { TestServer } from './servers/http-server.ts';

export const neverAborted = new AbortController().signal;
/** `closeAll` closes these after each test. */
export const open: { close(): Promise<void> }[] = [];

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((one) => one.close()));
}

export function createTestEgressClient(
  allowed: string,
  resolve?: Resolve,
  clock = realClock,
  memory?: MemoryBudget,
): EgressClient {
  const egress = createEgressClient({
    clock,
    allowedHosts: parseAllowedHosts(allowed),
    ...(resolve === undefined ? {} : { resolve }),
    ...(memory === undefined ? {} : { memory }),
  });
  open.push(egress);
  return egress;
}

export async function startServer(...args: Parameters<typeof serve>): Promise<TestServer> {
  const made = await serve(...args);
  open.push(made);
  return made;
}

export async function expectFailure(work: Promise<unknown>): Promise<NodeFailure> {
  const error = await work.then(
    () => new Error('it went through'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof HttpFailure)) throw error;
  return error.failure;
}

export const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  ...more,
});
export const decodeText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
