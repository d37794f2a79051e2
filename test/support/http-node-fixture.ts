import { afterEach, beforeEach, expect } from 'vitest';
import type { NodeFailure, Outcome } from '../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { createAttempt, closeRunners, makeRunner, settleAttempt } from './node-runner.ts';
import { serve } from './servers/http-server.ts';
import type { TestServer } from './servers/http-server.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';

const secrets = {
  TOKEN: { value: 'tok-123456', hosts: null },
  CLIENT: { value: 'client-secret-1', hosts: null },
  REFRESH: { value: 'refresh-1', hosts: null },
};

type FakeResponse = { status: number; headers: Record<string, string>; body: Json };
type Echo = { method: string; url: string; headers: Record<string, string>; body: string };

/** The node on the real runner, with a server that returns what it received. Created for each test. */
export class HttpNodeFixture {
  made!: ReturnType<typeof makeRunner>;
  echo!: TestServer;
  readonly servers: TestServer[] = [];

  async open(): Promise<void> {
    this.made = makeRunner({ secrets });
    this.echo = await this.server((q, r, body) => {
      r.setHeader('content-type', 'application/json; charset=utf-8');
      r.end(JSON.stringify({ method: q.method, url: q.url, headers: q.headers, body }));
    });
  }

  async close(): Promise<void> {
    await closeRunners();
    await Promise.all(this.servers.splice(0).map((one) => one.close()));
  }

  async server(...args: Parameters<typeof serve>): Promise<TestServer> {
    const one = await serve(...args);
    this.servers.push(one);
    return one;
  }

  run(config: JsonObject, input: Json = {}): Promise<Outcome> {
    expect(validateConfig(httpRequest, config)).toEqual([]);
    return settleAttempt(this.made.runner.run(createAttempt(httpRequest, config, { input })));
  }

  async answer(config: JsonObject, input: Json = {}): Promise<FakeResponse> {
    const outcome = await this.run(config, input);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
    return outcome.outputs['out'] as FakeResponse;
  }

  async echoed(config: JsonObject, input: Json = {}): Promise<Echo> {
    const { body } = await this.answer({ url: this.echo.url, method: 'POST', ...config }, input);
    return body as unknown as Echo;
  }

  async failure(config: JsonObject, input: Json = {}): Promise<NodeFailure> {
    const outcome = await this.run(config, input);
    if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
    return outcome.error;
  }
}

/** Creates a fixture for each test of the file. */
export function useHttpNodeFixture(): HttpNodeFixture {
  const bench = new HttpNodeFixture();
  beforeEach(() => bench.open());
  afterEach(() => bench.close());
  return bench;
}
