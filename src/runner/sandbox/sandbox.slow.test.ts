import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { CodeResult } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { listLaunches } from './isolation-launcher.ts';
import { createSandbox, type SandboxOptions } from './sandbox.ts';

/** Time-out for code that ends, in ms: on a busy machine the sandbox gets little CPU time. */
const PATIENT_TIMEOUT_MS = 40_000;
const opened: { close(): void }[] = [];
afterAll(() => {
  for (const sandbox of opened) sandbox.close();
});

function open(options: Partial<SandboxOptions> = {}) {
  const warnings: string[] = [];
  const sandbox = createSandbox({ warn: (message) => warnings.push(message), ...options });
  const logs: string[] = [];
  const run = (
    source: string,
    {
      input = null,
      owner = 'a',
      timeout = PATIENT_TIMEOUT_MS,
      signal = new AbortController().signal,
    }: { input?: Json; owner?: string; timeout?: number; signal?: AbortSignal } = {},
  ): Promise<CodeResult> =>
    sandbox.run({
      ownerId: owner,
      source,
      argument: input,
      timeout,
      signal,
      log: (level, message) => logs.push(`${level} ${message}`),
    });
  opened.push(sandbox);
  return { sandbox, run, logs, warnings };
}

const service = open();
/** A function's body. */
const body = (text: string): string => `export default async (input) => { ${text} }`;
const failure = (result: CodeResult): { code: unknown; message: string; line: unknown } => {
  if (result.kind !== 'failed') throw new Error(`It came to ${JSON.stringify(result.value).slice(0, 200)}`);
  const { code, line } = result.error.data as Record<string, unknown>;
  expect(result.error.type).toBe(code === 'CODE_TIMEOUT' ? 'timeout' : 'code');
  return { code, message: result.error.message, line };
};
const value = (result: CodeResult): Json => {
  if (result.kind !== 'value') throw new Error(JSON.stringify(result.error));
  return result.value;
};
const well = async (owner = 'a'): Promise<void> => {
  expect(value(await service.run(body('return input + 1'), { input: 1, owner }))).toBe(2);
};

describe('what code may do', () => {
  test.each<[string, string, Json, Json]>([
    ['an async function', 'export default async (input) => ({ d: input.n * 2 })', { n: 21 }, { d: 42 }],
    ['a plain function', 'export default function main(input) { return input.n }', { n: 1 }, 1],
    ['nothing given is null', 'export default () => {}', null, null],
    ['fields without a value are left out', body('return { a: undefined, b: 1 }'), null, { b: 1 }],
    ['awaiting at the top', 'const x = await Promise.resolve(4); export default () => x', null, 4],
    ['promises', body('return Promise.all([1, Promise.resolve(2)])'), null, [1, 2]],
    ['a promise-like result', body('return { then(done) { done(5) } }'), null, 5],
    ['dates print themselves', body('return new Date(0)'), null, '1970-01-01T00:00:00.000Z'],
    ['toJSON is asked', body('return { toJSON() { return { x: 1 } } }'), null, { x: 1 }],
    ['a proxy is a value', body('return new Proxy({ a: 1 }, {})'), null, { a: 1 }],
    ['text of any kind', body('return input'), '\u0000 ü \u{1f600} "', '\u0000 ü \u{1f600} "'],
    ['odd names', body('return input'), { constructor: 1, toString: 2 }, { constructor: 1, toString: 2 }],
    ['time is UTC', body('return new Date(2020, 0, 1).toISOString()'), null, '2020-01-01T00:00:00.000Z'],
  ])('%s', async (_title, source, input, output) => {
    expect(value(await service.run(source, { input }))).toEqual(output);
  });

  test('__proto__ is a field like any other, inside and outside', async () => {
    const input = JSON.parse('{"__proto__": {"admin": true}}') as Json;
    const result = value(await service.run(body('return [input.admin ?? null, input]'), { input })) as Json[];
    expect(result[0]).toBeNull();
    expect(Object.hasOwn(result[1] as object, '__proto__')).toBe(true);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test('console goes to the log, in order and before the result; other frames do not show', async () => {
    const { run, logs } = open();
    await run(body('console.log("a", { b: 1 }, [2], 3n, undefined); console.warn(null); console.debug(1)'));
    await run(body('console.error(new TypeError("broken"))'));
    expect(logs.slice(0, 3)).toEqual(['info a {"b":1} [2] 3 undefined', 'warning null', 'debug 1']);
    expect(logs[3]).toMatch(/^error TypeError: broken\n +at default \(code\.js:1:\d+\)$/);
  });

  test('printed output is bounded, and reports the cut', async () => {
    const { run, logs } = open();
    expect(
      value(await run(body('for (let i = 0; i < 1e5; i++) console.log("x".repeat(1e5)); return 1'))),
    ).toBe(1);
    expect(logs.length).toBeLessThan(40);
    expect(Math.max(...logs.map((line) => line.length))).toBeLessThanOrEqual(10_005);
    expect(logs.at(-1)).toBe('warning The log output of the code exceeds the limit');
    logs.length = 0;
    expect(value(await run(body('for (let i = 0; i < 1e5; i++) console.log(i); return 1')))).toBe(1);
    expect(logs).toHaveLength(1_001);
  });
});

describe('what code may not do', () => {
  /** The code, what it comes to; the ms that it may take at most. */
  test.each<[string, string, string | string[], RegExp]>([
    ['an endless loop', body('for (;;);'), 'CODE_TIMEOUT', /did not end within 150 ms/],
    ['an endless loop at the top', 'for (;;);', 'CODE_TIMEOUT', /did not end/],
    ['an endless chain of promises', body('for (;;) await null'), 'CODE_TIMEOUT', /did not end/],
    [
      'a chain left behind',
      body('const f = () => Promise.resolve().then(f); f(); return 1'),
      'CODE_TIMEOUT',
      /did not end/,
    ],
    ['an endless getter of the result', body('return { get a() { for (;;); } }'), 'CODE_TIMEOUT', /did/],
    ['an endless then', body('return { then() { for (;;); } }'), 'CODE_TIMEOUT', /did not end/],
    ['an endless toJSON of an error', body('throw { toJSON() { for (;;); } }'), 'CODE_TIMEOUT', /did/],
    ['an expensive pattern', body('/^(a+)+$/.test("a".repeat(40) + "b")'), 'CODE_TIMEOUT', /did not/],
    ['a promise that never settles', body('return new Promise(() => {})'), 'CODE_NEVER_SETTLES', /never/],
    [
      'the same at the top',
      'await new Promise(() => {}); export default () => 1',
      'CODE_NEVER_SETTLES',
      /top/,
    ],
    [
      'a flood of arrays',
      body('const a = []; for (;;) a.push(new Array(1000).fill(1))'),
      ['CODE_OUT_OF_MEMORY', 'CODE_TIMEOUT'],
      /./,
    ],
    [
      'a flood of text',
      body('const a = []; for (;;) a.push("x".repeat(1 << 20) + a.length)'),
      ['CODE_OUT_OF_MEMORY', 'CODE_TIMEOUT'],
      /./,
    ],
    ['a text too long', body('let s = "x"; for (;;) s += s'), 'CODE_THROWN', /Invalid string length/],
    [
      'a flood of buffers',
      body('const a = []; for (;;) a.push(new ArrayBuffer(1 << 24))'),
      'CODE_THROWN',
      /alloc/,
    ],
    [
      'buffers that grow',
      body('const a = []; for (;;) a.push(new ArrayBuffer(8, { maxByteLength: 1 << 30 }))'),
      ['CODE_OUT_OF_MEMORY', 'CODE_CRASHED'],
      /./,
    ],
    [
      'a buffer that grew',
      body(
        'const a = new ArrayBuffer(8, { maxByteLength: 1 << 30 }); a.resize(1 << 30); new Uint8Array(a).fill(7); for (;;);',
      ),
      'CODE_OUT_OF_MEMORY',
      /memory/,
    ],
    [
      'a flood by a pattern',
      body('"x".repeat(2 ** 28).replace(/x/g, "yyyyyyyyyyyyyyyyyyyy")'),
      ['CODE_OUT_OF_MEMORY', 'CODE_TIMEOUT'],
      /./,
    ],
    [
      'what makes the engine give up',
      body('"x".repeat(2 ** 29 - 25).split("")'),
      'CODE_OUT_OF_MEMORY',
      /memory/,
    ],
    ['a deep recursion', body('const f = () => f() + 1; return f()'), 'CODE_THROWN', /call stack/],
    [
      'a result too deep',
      body('let o = {}; for (let i = 0; i < 2e4; i++) o = { o }; return o'),
      'CODE_RESULT',
      /./,
    ],
    [
      'a result deeper than nodes give',
      body('let o = {}; for (let i = 0; i < 500; i++) o = { o }; return o'),
      'CODE_RESULT',
      /deeper than 200/,
    ],
    ['a result too large', body('return "x".repeat(2 ** 24)'), 'CODE_RESULT', /larger than 16777216 bytes/],
    [
      'a result too large in bytes',
      body('return "€".repeat(2 ** 23)'),
      'CODE_RESULT',
      /larger than 16777216 bytes/,
    ],
    ['a function', body('return () => 1'), 'CODE_RESULT', /it is a function/],
    ['a function inside', body('return { a: { b() {} } }'), 'CODE_RESULT', /field "b" is a function/],
    ['a BigInt', body('return [1n]'), 'CODE_RESULT', /BigInt/],
    ['a symbol', body('return { s: Symbol("x") }'), 'CODE_RESULT', /symbol/],
    ['a cycle', body('const a = {}; a.a = a; return a'), 'CODE_RESULT', /circular/],
    [
      'a result that throws',
      body('return new Proxy({}, { ownKeys() { throw new Error("no") } })'),
      'CODE_RESULT',
      /^no$/,
    ],
    ['no default export', 'export const x = 1', 'CODE_NO_DEFAULT_EXPORT', /default export/],
    ['a default export that is no function', 'export default 5', 'CODE_NO_DEFAULT_EXPORT', /function/],
    ['nothing', '', 'CODE_NO_DEFAULT_EXPORT', /default export/],
    [
      'an import',
      'import fs from "fs"; export default () => fs',
      'CODE_SYNTAX',
      /import is not available.*"fs"/,
    ],
    ['a later import', body('return import("fs")'), 'CODE_THROWN', /./],
    ['process', body('return process.env'), 'CODE_THROWN', /process is not defined/],
    ['require', body('return require("fs")'), 'CODE_THROWN', /require is not defined/],
    ['fetch', body('return fetch("http://127.0.0.1")'), 'CODE_THROWN', /fetch is not defined/],
    ['timers', body('setTimeout(() => {}, 1)'), 'CODE_THROWN', /setTimeout is not defined/],
    ['null thrown', body('throw null'), 'CODE_THROWN', /^null$/],
    ['nothing thrown', body('throw undefined'), 'CODE_THROWN', /^undefined$/],
    ['a symbol thrown', body('throw Symbol("s")'), 'CODE_THROWN', /Symbol\(s\)/],
    [
      'a proxy thrown',
      body('throw new Proxy({}, { get() { throw 1 } })'),
      'CODE_THROWN',
      /An unprintable value was thrown/,
    ],
    ['a huge message', body('throw new Error("x".repeat(1e7))'), 'CODE_THROWN', /^x{2000}$/],
    ['an error of the top', 'throw new RangeError("top")', 'CODE_THROWN', /top/],
  ])(
    '%s',
    async (_title, source, code, message) => {
      const began = performance.now();
      // Endless code is stopped soon; code that ends gets the time that a busy machine needs, most of all to
      // fill memory.
      const mayTimeOut = [code].flat().includes('CODE_TIMEOUT');
      const timeout = code === 'CODE_TIMEOUT' ? 150 : mayTimeOut ? 3_000 : 3 * PATIENT_TIMEOUT_MS;
      const found = failure(await service.run(source, { timeout }));
      // In its time, with what it takes to tell, and to start a process.
      expect(performance.now() - began).toBeLessThan(timeout + PATIENT_TIMEOUT_MS);
      expect([code].flat()).toContain(found.code);
      expect(found.message).toMatch(message);
      await well();
    },
    5 * PATIENT_TIMEOUT_MS,
  );

  test('errors name their place', async () => {
    expect(failure(await service.run('export default () => {\n\n  null.x;\n}')).line).toBe(3);
    expect(failure(await service.run('export default () => {\n  const a = ;\n}'))).toMatchObject({
      code: 'CODE_SYNTAX',
      line: 2,
      message: "Unexpected token ';'",
    });
  });

  test(
    'what just goes in and out',
    async () => {
      const input = Array.from({ length: 150_000 }, (_, id) => ({ id, name: 'x'.repeat(80) }));
      expect(JSON.stringify(input).length).toBeGreaterThan(15_000_000);
      expect(
        value(await service.run(body('return input'), { input, timeout: 3 * PATIENT_TIMEOUT_MS })),
      ).toEqual(input);
    },
    4 * PATIENT_TIMEOUT_MS,
  );

  test('a larger input than goes in', async () => {
    const found = failure(await service.run(body('return 1'), { input: 'x'.repeat(16 * 1024 * 1024) }));
    expect(found.code).toBe('CODE_INPUT_TOO_LARGE');
  });
});

describe('the environment of the code', () => {
  test('has only ECMAScript, and no access to Node', async () => {
    const names = value(
      await service.run(
        body(`
          const found = [];
          const ways = [
            () => globalThis,
            () => Function('return this')(),
            () => (() => {}).constructor('return this')(),
            () => console.log.constructor('return this')(),
            () => (async () => {}).constructor('return globalThis')(),
            () => new Error().constructor.constructor('return this')(),
            () => Reflect.getPrototypeOf(async function* () {}).constructor('return globalThis')().next(),
            () => eval('this'),
            () => (0, eval)('this'),
          ];
          for (const way of ways) {
            const scope = await way() ?? {};
            for (const holder of [scope, scope.value ?? {}])
              for (const name of ['process', 'require', 'module', 'global', 'Buffer', 'fetch', 'setTimeout', 'setImmediate',
                'queueMicrotask', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'ivm', 'gc'])
                if (holder[name] !== undefined) found.push(name);
          }
          return found;`),
      ),
    );
    expect(names).toEqual([]);
  });

  test('the stack of an error shows no path of the machine', async () => {
    const stack = value(await service.run(body('try { null.x } catch (e) { return e.stack }'))) as string;
    expect(stack).not.toContain('/');
    const sites = body(
      'Error.prepareStackTrace = (_, sites) => sites.map((s) => [typeof s.getThis(), typeof s.getFunction(), s.getFileName()]); return new Error().stack',
    );
    for (const [self, , file] of value(await service.run(sites)) as string[][]) {
      expect(self).toBe('undefined');
      expect(file ?? '').not.toContain('/');
    }
  });

  test('changes to the built-ins are invisible to the next call and to other owners', async () => {
    const spoil = body(`
      Object.prototype.polluted = 1; Array.prototype.map = () => 'mine'; globalThis.kept = input;
      JSON.parse = JSON.stringify = () => '"spoilt"'; console.log = null; String.prototype.slice = () => 'spoilt';
      Object.defineProperty(Promise, Symbol.species, { value: null }); return { ok: 1 }`);
    await service.run(spoil, { input: 'secret' });
    const look = body(
      'return [({}).polluted ?? null, [1].map((x) => x), globalThis.kept ?? null, typeof console.log, "abc".slice(1)]',
    );
    for (const owner of ['a', 'b'])
      expect(value(await service.run(look, { owner }))).toEqual([null, [1], null, 'function', 'bc']);
  });

  test('the process has an empty environment, and its flags are on', async () => {
    // On a busy machine a call may count as long, and its process is not kept.
    let pids: number[] = [];
    while (pids.length === 0) {
      await well();
      pids = service.sandbox.pids();
    }
    if (process.platform !== 'linux') return;
    for (const pid of pids) {
      expect(readFileSync(`/proc/${pid}/environ`)).toHaveLength(0);
      const flags = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      expect(flags).toContain('--permission');
      expect(flags.filter((flag) => flag.startsWith('--allow-fs-read=')).length).toBe(2);
      expect(flags.join(' ')).not.toMatch(/allow-(fs-write|child|worker|net|wasi)/);
    }
  });

  test.each(listLaunches())(
    'a program started with what lies around it reaches nothing: $command, lacking "$lacks"',
    async ({ command, args, lacks }) => {
      const server = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const script = `
      const tried = {};
      const attempt = (name, run) => { try { run(); tried[name] = 'done'; } catch (error) { tried[name] = error.code ?? error.message; } };
      const fs = require('node:fs');
      attempt('read', () => fs.readFileSync('/etc/hostname'));
      attempt('list', () => fs.readdirSync('/'));
      attempt('write', () => fs.writeFileSync('/tmp/weft-probe', 'x'));
      attempt('spawn', () => require('node:child_process').spawnSync('/bin/true'));
      attempt('worker', () => new (require('node:worker_threads').Worker)('1', { eval: true }));
      tried.env = Object.keys(process.env);
      tried.user = process.getuid?.();
      const socket = require('node:net').connect(${port}, '127.0.0.1');
      const tell = (network) => { fs.writeSync(1, JSON.stringify({ ...tried, network })); process.exit(0); };
      socket.on('connect', () => tell('connected'));
      socket.on('error', (error) => tell(error.code));`;
      const probe = spawnSync(command, [...args.slice(0, -2), '-e', script], {
        env: {},
        encoding: 'utf8',
        cwd: '/',
      });
      server.close();
      // Not every way works on every system.
      if (probe.status !== 0) return;
      const found = JSON.parse(probe.stdout) as Record<string, unknown>;
      expect(found).toMatchObject({
        read: 'ERR_ACCESS_DENIED',
        list: 'ERR_ACCESS_DENIED',
        write: 'ERR_ACCESS_DENIED',
        spawn: 'ERR_ACCESS_DENIED',
        worker: 'ERR_ACCESS_DENIED',
        env: [],
      });
      if (!/network/.test(lacks)) expect(found['network']).not.toBe('connected');
      if (lacks === '' && process.getuid?.() === 0 && args.includes('--reuid'))
        expect(found['user']).toBe(65_534);
    },
  );
});

describe('the processes', () => {
  test('a process that is killed in the middle of a call costs time, and no result', async () => {
    const { sandbox, run } = open({ size: 1 });
    // On a busy machine a call may end before the kill, or no process is kept for it: then a longer one is
    // killed.
    for (let ms = 400, isKilled = false; !isKilled; ms *= 2) {
      await run(body('return 1'));
      const before = sandbox.pids();
      let isOver = false;
      const slow = run(body('const end = Date.now() + input; while (Date.now() < end); return 7'), {
        input: ms,
        timeout: PATIENT_TIMEOUT_MS,
      }).finally(() => (isOver = true));
      await after(100);
      isKilled = !isOver && before.length > 0;
      for (const pid of before) process.kill(pid, 'SIGKILL');
      expect(value(await slow)).toBe(7);
      if (isKilled) expect(sandbox.pids()).not.toEqual(before);
    }
  });

  test('a call whose process is killed again and again ends', async () => {
    const { sandbox, run } = open({ size: 1 });
    const doomed = run(body('for (;;);'), { timeout: 5_000 });
    const killer = setInterval(() => {
      for (const pid of sandbox.pids()) process.kill(pid, 'SIGKILL');
    }, 100);
    const found = failure(await doomed);
    clearInterval(killer);
    expect(found.code).toBe('CODE_CRASHED');
    expect(value(await run(body('return 1')))).toBe(1);
  });

  test('an abort ends a running call and a waiting call immediately', async () => {
    const { sandbox, run } = open({ size: 1 });
    await run(body('return 1'));
    const [pid] = sandbox.pids();
    const [first, second] = [new AbortController(), new AbortController()];
    const began = performance.now();
    const running = run(body('for (;;);'), { timeout: 30_000, signal: first.signal });
    const waiting = run(body('for (;;);'), { timeout: 30_000, signal: second.signal });
    const next = run(body('return 2'));
    await after(50);
    second.abort();
    expect(failure(await waiting).code).toBe('CODE_STOPPED');
    first.abort();
    expect(failure(await running).code).toBe('CODE_STOPPED');
    expect(value(await next)).toBe(2);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(sandbox.pids()).not.toContain(pid);
  });

  test(
    'the loops of one owner do not keep another waiting, and 24 of them end each in its time',
    async () => {
      const { run } = open({ size: 4 });
      await run(body('return 1'), { owner: 'b' });
      let ended = 0;
      const loops = Array.from({ length: 24 }, () =>
        run(body('for (;;);'), { timeout: 100 }).then((result) => {
          ended++;
          return result;
        }),
      );
      for (let served = 0; served < 5; served++)
        expect(value(await run(body('return input'), { input: served, owner: 'b' }))).toBe(served);
      // Served in between, not behind them.
      expect(ended).toBeLessThan(24);
      for (const result of await Promise.all(loops)) expect(failure(result).code).toBe('CODE_TIMEOUT');
    },
    6 * PATIENT_TIMEOUT_MS,
  );

  test('compiling does not wait for running code', async () => {
    const { sandbox, run } = open({ size: 1 });
    let isOver = false;
    // The code runs until the test ends it.
    const end = new AbortController();
    const running = run(body('for (;;);'), { timeout: 6 * PATIENT_TIMEOUT_MS, signal: end.signal });
    void running.then(() => (isOver = true));
    expect(await sandbox.check('a', body('return 1'))).toBeNull();
    expect(await sandbox.check('a', 'for (;;); export default 1')).toBeNull();
    expect(await sandbox.check('a', 'export default (')).toMatchObject({ line: 1 });
    expect(await sandbox.check('b', 'import "x"; export default 1')).toMatchObject({ message: /import/ });
    expect(await sandbox.check('b', 'const x = 1')).toMatchObject({ message: /default export/ });
    expect(isOver).toBe(false);
    end.abort();
    await running;
  });

  test('there are as many as are needed, and no more than allowed', async () => {
    const { sandbox, run } = open({ size: 2, idle: 600_000 });
    expect(sandbox.pids()).toEqual([]);
    const end = new AbortController();
    let most = 0;
    const loops = ['a', 'b', 'c', 'd'].map((owner) =>
      run(body('for (;;);'), { owner, timeout: 100_000, signal: end.signal }),
    );
    await vi.waitFor(() => expect(sandbox.pids()).toHaveLength(2), { timeout: PATIENT_TIMEOUT_MS });
    const watch = setInterval(() => (most = Math.max(most, sandbox.pids().length)), 1);
    end.abort();
    for (const result of await Promise.all(loops)) expect(failure(result).code).toBe('CODE_STOPPED');
    expect(value(await run(body('return 1')))).toBe(1);
    clearInterval(watch);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('an idle process ends, and the next call starts another one', async () => {
    const { sandbox, run } = open({ size: 1, idle: 50 });
    expect(value(await run(body('return 1')))).toBe(1);
    await vi.waitFor(() => expect(sandbox.pids()).toEqual([]), { timeout: PATIENT_TIMEOUT_MS });
    expect(value(await run(body('return 1')))).toBe(1);
  });

  test('a limited number of calls may wait', async () => {
    const stuck = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], lacks: '' };
    const { sandbox, run } = open({ launches: () => [stuck] });
    const waiting = Array.from({ length: limits.codeQueue }, () => run(body('return 1')));
    expect(failure(await run(body('return 1'))).code).toBe('CODE_BUSY');
    sandbox.close();
    for (const result of await Promise.all(waiting)) expect(failure(result).code).toBe('CODE_UNAVAILABLE');
  });

  test('without a way to start a process every call fails immediately with the reason', async () => {
    const none = open({ launches: () => [{ command: '/nonexistent', args: [], lacks: '' }] });
    expect(failure(await none.run(body('return 1'))).code).toBe('CODE_UNAVAILABLE');
    expect(failure(await none.run(body('return 1'))).code).toBe('CODE_UNAVAILABLE');
    expect(await none.sandbox.check('a', '1')).toMatchObject({ message: /cannot run on this machine/ });
    expect(none.warnings.join()).toMatch(/failed to start a process for user code/);
  });

  test('a start that fails for a while costs time, and no result', async () => {
    let times = 0;
    const { run } = open({
      launches: () => (++times < 5 ? [{ command: '/nonexistent', args: [], lacks: '' }] : listLaunches()),
    });
    const results = await Promise.all(['a', 'b', 'c'].map((owner) => run(body('return 1'), { owner })));
    expect(results.map(value)).toEqual([1, 1, 1]);
    expect(times).toBeLessThan(8);
  });

  test('the strongest available isolation is used, and the log names what is missing', async () => {
    const ways = listLaunches();
    const last = ways.at(-1)!;
    const { run, warnings } = open({
      launches: () => [{ command: '/nonexistent', args: [], lacks: '' }, last],
    });
    expect(value(await run(body('return 1')))).toBe(1);
    expect(warnings).toEqual([`user code runs in processes without ${last.lacks}`]);
  });

  test.each([
    ['nonsense', 'process.stdout.write("x".repeat(1e6))'],
    ['a length without end', 'process.stdout.write(Buffer.from([255,255,255,255,0,0,0,0]))'],
    ['a response without a caller', 'say({ kind: "done", id: 99, logs: [] }, "1")'],
    ['a log that is none', 'say({ kind: "done", id: 1, logs: [{ level: 5 }] }, "1")'],
    ['a failure of no kind', 'say({ kind: "failed", id: 1, logs: [], failure: "x", message: 1 }, "")'],
    ['silence', ''],
  ])('a process that answers with %s is not believed', async (_title, response) => {
    const program = `
      const say = (data, text) => {
        const body = Buffer.from(text);
        const head = Buffer.from(JSON.stringify({ lengths: text === undefined ? [] : [body.length], data }));
        const prefix = Buffer.alloc(8);
        prefix.writeUInt32BE(4 + head.length + body.length, 0);
        prefix.writeUInt32BE(head.length, 4);
        process.stdout.write(Buffer.concat([prefix, head, body]));
      };
      say({ kind: 'ready' }, '');
      process.stdin.once('data', () => { ${response} });`;
    const { run } = open({
      launches: () => [{ command: process.execPath, args: ['-e', program], lacks: '' }],
    });
    expect(['CODE_CRASHED', 'CODE_TIMEOUT']).toContain(
      failure(await run(body('return 1'), { timeout: 300 })).code,
    );
  });

  test('a result that is not JSON is rejected', async () => {
    const program = `
      const frame = (data, text) => { const body = Buffer.from(text); const head = Buffer.from(JSON.stringify({ lengths: [body.length], data }));
        const prefix = Buffer.alloc(8); prefix.writeUInt32BE(4 + head.length + body.length, 0); prefix.writeUInt32BE(head.length, 4);
        process.stdout.write(Buffer.concat([prefix, head, body])); };
      frame({ kind: 'ready' }, '');
      process.stdin.once('data', () => frame({ kind: 'done', id: 1, logs: [] }, '{"a":'));`;
    const { run } = open({
      launches: () => [{ command: process.execPath, args: ['-e', program], lacks: '' }],
    });
    expect(failure(await run(body('return 1'))).code).toBe('CODE_RESULT');
  });
});
