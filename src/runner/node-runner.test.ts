import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { WeftError } from '../contract/errors.ts';
import type { NodeContext, NodeType, Outcome } from '../contract/node-type.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import { REDACTED } from '../lib/text/redact.ts';
import { defineNode } from '../nodes/define-node.ts';
import { dataTransformer } from '../nodes/data/data-transformer.node.ts';
import { done } from '../nodes/outcome.ts';
import { closed } from '../nodes/schema.ts';
import { limits } from '../ports/limits.ts';
import type { Attempt } from '../ports/runner.ts';
import { createAttempt, closeRunners, makeRunner } from '../../test/support/node-runner.ts';
import { serve } from '../../test/support/servers/http-server.ts';

afterEach(closeRunners);

type Run = (ctx: NodeContext, config: JsonObject, input: Json) => Outcome | Promise<Outcome>;

function defineProbe(effects: 'none' | 'external', run: Run): NodeType {
  return defineNode({
    type: 'probe',
    version: '1.0.0',
    name: 'Probe',
    category: 'data',
    description: 'For the test.',
    icon: 'box',
    config: closed({ text: Type.Optional(Type.String()), count: Type.Optional(Type.Integer()) }),
    outputs: [{ name: 'out', type: 'any', description: '' }],
    effects,
    ...(effects === 'external' ? { secrets: { text: 'request' } as const } : {}),
    run,
    examples: [],
  });
}

describe('a node without effects', () => {
  it('runs at once, without a promise', () => {
    const { runner } = makeRunner();
    const input = { a: 1 };
    const outcome = runner.run(
      createAttempt(
        defineProbe('none', (_ctx, _config, arrived) => done(arrived)),
        {},
        { input },
      ),
    );
    expect(outcome).toEqual({ kind: 'done', outputs: { out: { a: 1 } } });
    expect((outcome as unknown as { outputs: { out: unknown } }).outputs.out).toBe(input);
  });

  it('sees its attempt', () => {
    const { runner } = makeRunner();
    let seen: Record<string, unknown> = {};
    const type = defineProbe('none', (ctx, _config, arrived) => {
      seen = {
        ids: [ctx.executionId, ctx.workflowId, ctx.nodeId, ctx.path, ctx.attempt, ctx.idempotencyKey],
        deliveries: ctx.deliveries,
        resumed: ctx.resumed,
        aborted: ctx.signal.aborted,
        now: ctx.now(),
      };
      return done(arrived);
    });
    void runner.run(createAttempt(type, {}, { resumed: { since: 5, due: 5 } }));
    expect(seen).toMatchObject({
      ids: ['ex_1', 'wf_1', 'probe', 'probe', 1, 'key-of-this-run'],
      deliveries: [],
      resumed: { since: 5, due: 5 },
      aborted: false,
    });
    expect(seen['now']).toBeGreaterThan(1_700_000_000_000);
  });
});

describe('what goes wrong becomes a typed failure', () => {
  const runAttempt = async (attempt: Attempt) => {
    const made = makeRunner();
    return { outcome: await made.runner.run(attempt), errors: made.errors };
  };

  it.each(['RATE_LIMITED', 'STORAGE_FULL', 'STORAGE_UNAVAILABLE'] as const)(
    '%s of the service itself does not fail the attempt, but defers it',
    async (code) => {
      const refuse = () => Promise.reject(new WeftError(code));
      const { outcome, errors } = await runAttempt(
        createAttempt(defineProbe('external', refuse), { text: 'x' }),
      );
      expect(outcome).toEqual({ kind: 'deferred' });
      expect(errors).toEqual([]);
    },
  );

  it('a template without its data, with its field', async () => {
    const type = defineProbe('none', (_ctx, _config, input) => done(input));
    const { outcome } = await runAttempt(createAttempt(type, { text: 'x {{ input.missing }}' }));
    expect(outcome).toMatchObject({ kind: 'failed', error: { type: 'template', data: { field: 'text' } } });
    expect(JSON.stringify(outcome)).toMatch(/text: .*input\.missing/);
  });

  it('a deferred template without its data, with its field', async () => {
    const { outcome } = await runAttempt(
      createAttempt(dataTransformer, {
        operations: [{ action: 'map', input: 'a', output: 'b', transform: '{{ value.nope.x }}' }],
      }),
    );
    expect(outcome).toMatchObject({
      error: { type: 'template', data: { field: 'operations[0].transform' } },
    });
  });

  it('a value that does not fit the schema, with its field', async () => {
    const type = defineProbe('none', (_ctx, _config, input) => done(input));
    const { outcome } = await runAttempt(
      createAttempt(type, { count: '{{ input.a }}' }, { input: { a: 'x' } }),
    );
    expect(outcome).toMatchObject({
      error: { type: 'validation', message: 'count: must be a whole number', data: { field: 'count' } },
    });
  });

  it.each([
    [
      'a throw',
      () => {
        throw new Error('secret detail');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('secret detail'))],
    [
      'something that is no error',
      () => {
        throw 'secret detail';
      },
    ],
  ] as [string, Run][])('%s of unknown kind, without its message', async (_title, run) => {
    const { outcome, errors } = await runAttempt(createAttempt(defineProbe('none', run), {}));
    expect(outcome).toMatchObject({ error: { type: 'internal' } });
    expect(JSON.stringify(outcome)).not.toContain('secret detail');
    expect(errors).toHaveLength(1);
  });

  it('a node that exceeds its timeout is aborted', async () => {
    let aborted = false;
    const type = defineProbe('external', async (ctx, _config, input) => {
      ctx.signal.addEventListener('abort', () => {
        aborted = true;
      });
      await sleep(10_000, null, { signal: ctx.signal }).catch(() => {});
      return done(input);
    });
    const { outcome } = await runAttempt(createAttempt(type, {}, { timeout: 30 }));
    expect(outcome).toMatchObject({
      error: { type: 'timeout', message: 'The node did not complete within 30 ms' },
    });
    expect(aborted).toBe(true);
  });

  it('a node whose execution ends meanwhile, before or after it began', async () => {
    const type = defineProbe('external', () => new Promise(() => {}));
    for (const early of [true, false]) {
      const controller = new AbortController();
      if (early) controller.abort();
      const work = runAttempt(createAttempt(type, {}, { signal: () => controller.signal }));
      setTimeout(() => controller.abort(), 10);
      expect((await work).outcome).toMatchObject({ error: { type: 'stopped', retryable: false } });
    }
  });

  it('an output that is too large or too deep', async () => {
    const large = 'x'.repeat(limits.nodeOutputBytes / 4);
    const deep = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) as Json;
    for (const value of [[large, large, large, large, large], deep]) {
      const { outcome } = await runAttempt(
        createAttempt(
          defineProbe('external', () => Promise.resolve(done(value))),
          {},
        ),
      );
      expect(outcome).toMatchObject({ error: { type: 'limit', retryable: false } });
    }
    const { outcome } = await runAttempt(
      createAttempt(
        defineProbe('external', () => Promise.resolve(done([large]))),
        {},
      ),
    );
    expect(outcome.kind).toBe('done');
  });
});

describe('secrets', () => {
  const config = { text: '{{ secrets.TOKEN }}' };
  const secrets = { TOKEN: { value: 'tok-12345', hosts: null } };

  it('are loaded only for a configuration that reads one', async () => {
    const { runner, asked } = makeRunner({ secrets });
    const type = defineProbe('external', (_ctx, seen) => done(seen['text'] ?? null));
    await runner.run(createAttempt(type, { text: 'plain' }));
    expect(asked).toEqual([]);
    expect(await runner.run(createAttempt(type, config))).toEqual({
      kind: 'done',
      outputs: { out: 'tok-12345' },
    });
    expect(asked).toEqual([['usr_1', ['TOKEN']]]);
  });

  it('that are not stored fail as a template', async () => {
    const { runner } = makeRunner();
    const outcome = await runner.run(
      createAttempt(
        defineProbe('external', () => done(null)),
        config,
      ),
    );
    expect(outcome).toMatchObject({ error: { type: 'template', data: { field: 'text' } } });
  });

  it('are not loaded for a field that may not read one: the node fails', async () => {
    const { runner, asked } = makeRunner({ secrets });
    let runs = 0;
    const type = defineProbe('external', () => {
      runs++;
      return done(null);
    });
    const denied = { ...type, secrets: { count: 'request' as const } };
    const issue = 'must not read a secret; probe reads secrets only in count';
    expect(await runner.run(createAttempt(denied, config))).toMatchObject({
      error: { type: 'validation', message: `text: ${issue}`, data: { field: 'text', issue } },
    });
    expect([asked, runs]).toEqual([[], 0]);
  });

  it('are redacted in failures and in the log, in every form', async () => {
    const { runner } = makeRunner({ secrets });
    const lines: unknown[] = [];
    const encoded = Buffer.from('ada:tok-12345').toString('base64');
    const type = defineProbe('external', (ctx) => {
      ctx.log('info', `sent tok-12345 as ${encoded}`, { nested: [{ 'tok-12345': 'a tok-12345' }] });
      return {
        kind: 'failed',
        error: { type: 'code', message: 'bad tok-12345', data: { echo: [encoded, { tok: 'tok-12345' }] } },
      };
    });
    const outcome = await runner.run(createAttempt(type, config, { log: (...line) => lines.push(line) }));
    expect(outcome).toMatchObject({ error: { message: `bad ${REDACTED}` } });
    for (const text of [JSON.stringify(outcome), JSON.stringify(lines)]) {
      expect(text).toContain(REDACTED);
      expect(text).not.toContain('tok-12345');
      expect(text).not.toContain(encoded.slice(6));
    }
  });

  it('with hosts go nowhere else, on no hop', async () => {
    const home = await serve((q, r) => {
      if (q.url === '/away') r.writeHead(302, { location: away.url }).end();
      else r.end('home');
    });
    const away = await serve((_q, r) => r.end('away'), '127.0.0.2');
    const { runner } = makeRunner({
      secrets: { TOKEN: { value: 'tok-12345', hosts: ['127.0.0.1'] } },
      allowedHosts: '127.0.0.0/8',
    });
    const type = defineProbe('external', async (ctx, _config, input) => {
      const { status } = await ctx.http.send({ method: 'GET', url: input as string });
      return done(status);
    });
    const run = (input: string) => runner.run(createAttempt(type, config, { input }));
    expect(await run(home.url)).toEqual({ kind: 'done', outputs: { out: 200 } });
    for (const url of [away.url, `${home.url}/away`])
      expect(await run(url)).toMatchObject({
        error: {
          type: 'forbidden',
          message: 'The secret TOKEN may not be sent to 127.0.0.2; it is bound to 127.0.0.1',
        },
      });
    expect(away.connections()).toBe(0);
    await home.close();
    await away.close();
  });

  it('with hosts that have a port go to that port only', async () => {
    const home = await serve((_q, r) => r.end('home'));
    const type = defineProbe('external', async (ctx, _config, input) => {
      const { status } = await ctx.http.send({ method: 'GET', url: input as string });
      return done(status);
    });
    const { port } = new URL(home.url);
    const runBoundTo = (host: string) => {
      const secrets = { TOKEN: { value: 'tok-12345', hosts: [host] } };
      const { runner } = makeRunner({ secrets, allowedHosts: '127.0.0.0/8' });
      return runner.run(createAttempt(type, config, { input: home.url }));
    };
    expect(await runBoundTo(`127.0.0.1:${port}`)).toEqual({ kind: 'done', outputs: { out: 200 } });
    expect(await runBoundTo('127.0.0.1:1')).toMatchObject({
      error: {
        type: 'forbidden',
        message: `The secret TOKEN may not be sent to 127.0.0.1:${port}; it is bound to 127.0.0.1:1`,
      },
    });
    await home.close();
  });
});

describe('the log', () => {
  it('is bounded in lines and in their length', () => {
    const { runner } = makeRunner();
    const lines: string[] = [];
    const type = defineProbe('none', (ctx, _config, input) => {
      for (let i = 0; i < limits.logEntriesPerNodeRun + 5; i++)
        ctx.log('info', 'x'.repeat(limits.logMessageChars + 5));
      return done(input);
    });
    void runner.run(createAttempt(type, {}, { log: (_level, message) => lines.push(message) }));
    expect(lines).toHaveLength(limits.logEntriesPerNodeRun + 1);
    expect(lines[0]).toHaveLength(limits.logMessageChars);
    expect(lines.at(-1)).toMatch(/At most 1000 log entries are stored per node run/);
  });
});

describe('files', () => {
  it('come back as they were, within their execution and owner', async () => {
    const { runner } = makeRunner();
    const type = defineProbe('external', async (ctx, _config, input) => {
      if (input === null) {
        const bytes = new TextEncoder().encode('content');
        return done(await ctx.files.save({ name: '../../etc/passwd', contentType: 'text/plain', bytes }));
      }
      const file = await ctx.files.open(input as never);
      if (file === null) return done(null);
      return done(`${file.name} ${file.contentType} ${(await buffer(file.read())).toString()} ${file.size}`);
    });
    const saved = await runner.run(createAttempt(type, {}, { input: null }));
    expect(saved).toMatchObject({
      outputs: { out: { $file: { name: 'passwd', content_type: 'text/plain', size: 7 } } },
    });
    const input = (saved as unknown as { outputs: { out: Json } }).outputs.out;
    const load = async (more: Partial<Attempt>) => runner.run(createAttempt(type, {}, { input, ...more }));
    expect(await load({})).toEqual({ kind: 'done', outputs: { out: 'passwd text/plain content 7' } });
    expect(await load({ executionId: 'ex_2' })).toEqual({ kind: 'done', outputs: { out: null } });
    expect(await load({ ownerId: 'usr_2' })).toEqual({ kind: 'done', outputs: { out: null } });
  });
});
