import { adminEmail, adminPassword, caller, type ApiResponse, type Call } from '../../support/service.ts';
import type { CrashFixture } from './harness.ts';

/** The service exited in the middle. */
class BrokenOff extends Error {}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The same small work every time: every way to start, a save, a change, a stop; each acknowledgment is
 * recorded when it is received. Ends early without an error when the service exits. `name` determines the
 * Idempotency-Keys: a second run with the same name must get the same responses.
 */
export async function runScenario(
  rig: CrashFixture,
  ids: ReadonlyMap<string, string>,
  name: string,
): Promise<'done' | 'broken off'> {
  try {
    await work(rig, ids, name);
    return 'done';
  } catch (error) {
    if (error instanceof BrokenOff) return 'broken off';
    throw error;
  }
}

async function work(rig: CrashFixture, ids: ReadonlyMap<string, string>, name: string): Promise<void> {
  const login = await ask(caller(rig.url), 'POST', '/auth/login', {
    email: adminEmail,
    password: adminPassword,
  });
  const call = caller(rig.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
  const start = async (
    workflow: string,
    where: string,
    ended: boolean,
    key: string | null = `${name} ${workflow}`,
  ): Promise<string> => {
    const body = where.startsWith('/webhooks') ? { order: 1 } : {};
    const response = await ask(call, 'POST', where, body, key ?? undefined);
    const id = response.headers.get('x-weft-execution-id') ?? (response.body as { id: string }).id;
    rig.promised({ t: 'execution', id, workflow: ids.get(workflow)!, key, ended });
    return id;
  };
  const byHand = (workflow: string): string => `/workflows/${ids.get(workflow)!}/execute`;
  const stop = async (): Promise<void> => {
    const id = await start('to be stopped', byHand('to be stopped'), false);
    await pause(20);
    const response = await ask(call, 'POST', `/executions/${id}/stop`, undefined);
    rig.promised(response.status === 200 ? { t: 'stopped', id, at: Date.now() } : { t: 'not_stopped', id });
  };
  const save = async (): Promise<void> => {
    const created = await ask(call, 'POST', '/workflows', {
      name,
      definition: { nodes: [], connections: [] },
    });
    const { id } = created.body as { id: string };
    rig.promised({ t: 'workflow', id, version: 1, name });
    const changed = await ask(call, 'PUT', `/workflows/${id}`, { name: `${name} again` });
    const { version } = changed.body as { version: number };
    rig.promised({ t: 'workflow', id, version, name: `${name} again` });
  };
  // Alone: written directly.
  for (let n = 0; n < 3; n++) await start('ends in its first commit', '/webhooks/crash/quick', true, null);
  await start('responds from a respond node', '/webhooks/crash/respond', true);
  const settled = await Promise.allSettled([
    start('parallel calls that fail at first', '/webhooks/crash/parallel', false),
    start('waits in between', '/webhooks/crash/delay', false),
    start('answers at its end', '/webhooks/crash/completion', true),
    start('by hand', byHand('by hand'), false),
    stop(),
    save(),
  ]);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  await rig.settled(async (...given) => {
    try {
      return await call(...given);
    } catch {
      throw new BrokenOff();
    }
  }, 20_000);
}

/**
 * A response with status 2xx, or 400 (which the caller checks); any other is an error, and a broken
 * connection is BrokenOff.
 */
async function ask(
  call: Call,
  method: string,
  where: string,
  body: unknown,
  key?: string,
): Promise<ApiResponse> {
  let response: ApiResponse;
  try {
    response = await call(method, where, {
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    });
  } catch {
    throw new BrokenOff();
  }
  if (response.status >= 300 && response.status !== 400)
    throw new Error(`${method} ${where} was answered with ${response.status} ${response.text}`);
  return response;
}
