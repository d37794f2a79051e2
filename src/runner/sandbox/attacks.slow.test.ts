import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { CodeResult } from '../../contract/node-type.ts';
import { createSandbox } from './sandbox.ts';

/** Time-out for code that ends, in ms: on a busy machine the sandbox gets little CPU time. */
const PATIENT = 40_000;
const sandbox = createSandbox({ warn: () => {} });
afterAll(() => sandbox.close());

const logs: string[] = [];
const run = (source: string, timeout = PATIENT, owner = 'attacker'): Promise<CodeResult> =>
  sandbox.run({
    ownerId: owner,
    source,
    argument: null,
    timeout,
    signal: new AbortController().signal,
    log: (_level, message) => logs.push(message),
  });
const body = (text: string): string => `export default async () => { ${text} }`;
const describeResult = (result: CodeResult): unknown => {
  if (result.kind === 'value') return `it gave ${JSON.stringify(result.value).slice(0, 200)}`;
  expect(result.error.message.length).toBeLessThanOrEqual(2_000);
  const { code } = result.error.data as { code: unknown };
  expect(result.error.type).toBe(code === 'CODE_TIMEOUT' ? 'timeout' : 'code');
  return code;
};

const OUT = ['CODE_OUT_OF_MEMORY', 'CODE_TIMEOUT'];
const ENDED = [...OUT, 'CODE_THROWN'];

describe('each ends with its own error in time, while another call continues', () => {
  /** What it is; the code; what it comes to; ms that it gets. */
  test.each<[string, string, string | string[], number?]>([
    ['memory of WebAssembly', body('new WebAssembly.Memory({ initial: 65536 })'), 'CODE_THROWN'],
    [
      'waiting by Atomics',
      body('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'),
      'CODE_THROWN',
    ],
    ['a fork bomb', body('for (;;) require("child_process").fork("x")'), 'CODE_THROWN'],
    [
      'a fork bomb by another way',
      body('this.constructor.constructor("return process")().fork()'),
      'CODE_THROWN',
    ],
    ['the binding of Node', body('process.binding("spawn_sync")'), 'CODE_THROWN'],
    ['the end of the process', body('process.exit(0)'), 'CODE_THROWN'],
    ['a loop made by Function', body('Function("for (;;);")()'), 'CODE_TIMEOUT'],
    ['a loop in eval', body('eval("for (;;);")'), 'CODE_TIMEOUT'],
    ['text that is no program, in eval', body('eval("(".repeat(5e6))'), ENDED],
    [
      'a generator without end',
      body('function* f() { for (;;) yield 1 } for (const x of f());'),
      'CODE_TIMEOUT',
    ],
    ['the same, collected', body('function* f() { for (;;) yield 1 } return [...f()]'), ENDED, 1_000],
    [
      'an async generator without end',
      body('async function* f() { for (;;) yield 1 } for await (const x of f());'),
      'CODE_TIMEOUT',
    ],
    ['a flood of jobs', body('for (;;) Promise.resolve().then(() => {})'), OUT, 1_000],
    ['a flood of keys', body('const o = {}; for (let i = 0; ; i++) o["k" + i] = i'), ENDED, 1_000],
    [
      'a flood of symbols',
      body('for (let i = 0; ; i++) Symbol.for("s" + i + "x".repeat(1000))'),
      ENDED,
      1_000,
    ],
    ['a map without end', body('const m = new Map(); for (let i = 0; ; i++) m.set(i, {})'), ENDED, 1_000],
    ['an array of the greatest length', body('return new Array(2 ** 32 - 1).fill(0)'), ENDED, 1_000],
    ['its holes as a result', body('return new Array(2 ** 32 - 1)'), ['CODE_RESULT', ...OUT], 1_000],
    ['a number of many digits', body('return String(3n ** 100000000n).length'), ENDED],
    ['a comparison without end', body('[2, 1].sort(() => { for (;;); })'), 'CODE_TIMEOUT'],
    [
      'a pattern that is too large',
      body('new RegExp("(?:a{0,1000}){0,1000}{0,1000}".repeat(3)).test("a")'),
      ENDED,
    ],
    ['an expensive pattern in a replacement', body('"a".repeat(50).replace(/(a*)*b/, "")'), 'CODE_TIMEOUT'],
    [
      'a recursion of proxies',
      body('let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x ?? 1'),
      ENDED,
    ],
    [
      'text nested deeply',
      body('return JSON.parse("[".repeat(1e6) + "]".repeat(1e6))'),
      ['CODE_THROWN', 'CODE_RESULT', 'CODE_TIMEOUT'],
    ],
    [
      'a stack without a limit',
      body('Error.stackTraceLimit = Infinity; const f = () => f() + 1; return f()'),
      ENDED,
    ],
    [
      'toJSON without end',
      body(
        'const f = () => ({ a: 1, toJSON: f }); return { toJSON() { return { a: { toJSON: () => { for (;;); } } } } }',
      ),
      'CODE_TIMEOUT',
    ],
    [
      'toJSON that goes ever deeper',
      body('const f = () => ({ n: { toJSON: f } }); return { toJSON: f }'),
      ['CODE_RESULT', ...OUT],
      1_000,
    ],
    ['toJSON that throws', body('return { toJSON() { throw new Error("no") } }'), 'CODE_RESULT'],
    ['a getter that throws', body('return { get a() { throw null } }'), 'CODE_RESULT'],
    [
      'a proxy with keys without end',
      body('return new Proxy({}, { ownKeys() { for (;;); } })'),
      'CODE_TIMEOUT',
    ],
    [
      'a proxy with too many keys',
      body(
        'return new Proxy({}, { ownKeys: () => Array.from({ length: 3e6 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: "x".repeat(100), enumerable: true, configurable: true }), get: () => "x".repeat(100) })',
      ),
      ['CODE_RESULT', ...OUT],
      1_000,
    ],
    ['a flood of values in the result', body('return Array(2e7).fill(1)'), ['CODE_RESULT', ...OUT], 1_000],
    ['a message without end', body('throw { get message() { for (;;); } }'), 'CODE_TIMEOUT'],
    [
      'a stack without end',
      body('throw Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } })'),
      'CODE_TIMEOUT',
    ],
    [
      'a stack made without end',
      body('Error.prepareStackTrace = () => { for (;;); }; throw new Error("x")'),
      ['CODE_TIMEOUT', 'CODE_THROWN'],
    ],
    [
      'a stack that is huge',
      body('const e = new Error("x"); e.stack = "at code.js:1:1 ".repeat(1e7); throw e'),
      ENDED,
    ],
    [
      'a stack that says another place',
      body('const e = new Error("x"); e.stack = "at code.js:99999999999999999999:1"; throw e'),
      'CODE_THROWN',
    ],
    [
      'a name that is huge',
      body('const e = new Error("x"); e.name = "n".repeat(1e8); throw e'),
      ENDED,
      1_000,
    ],
    [
      'a message that is a symbol',
      body('throw { message: Symbol("x"), name: Symbol("y"), stack: Symbol("z") }'),
      'CODE_THROWN',
    ],
    [
      'an error of errors',
      body('throw new AggregateError([new Error("a")], { toString() { for (;;); } })'),
      ENDED,
    ],
    ['a thenable that calls back forever', body('const t = { then(done) { done(t) } }; return t'), OUT],
    [
      'a promise that resolves to itself',
      body('let done; const p = new Promise((r) => (done = r)); done(p); return p'),
      'CODE_THROWN',
    ],
    ['a wait in a loop', body('await new Promise(() => {}); return 1'), 'CODE_NEVER_SETTLES'],
    ['an import when it runs', body('return import("node:fs")'), 'CODE_THROWN'],
    ['an import of data', body('return import("data:text/javascript,export default 1")'), 'CODE_THROWN'],
    ['this module again', body('return import("code.js")'), 'CODE_THROWN'],
  ])(
    '%s',
    async (_title, source, code, given) => {
      // Endless code is stopped soon; code that ends gets the time that a busy machine needs.
      const mayTimeOut = [code].flat().includes('CODE_TIMEOUT');
      const timeout = given ?? (code === 'CODE_TIMEOUT' ? 200 : mayTimeOut ? 500 : PATIENT);
      const began = performance.now();
      const attack = run(source, timeout);
      // Another's call does not wait for it.
      const other = await run('export default () => 7', PATIENT, 'other');
      expect(other).toEqual({ kind: 'value', value: 7 });
      expect([code].flat()).toContain(describeResult(await attack));
      // Its time, the second that the service waits beyond it, and what a busy machine adds.
      expect(performance.now() - began).toBeLessThan(timeout + PATIENT);
      expect(await run('export default () => ({}).polluted ?? 8')).toEqual({
        kind: 'value',
        value: 8,
      });
    },
    3 * PATIENT,
  );

  test('output printed by hostile objects is text, and bounded', async () => {
    logs.length = 0;
    const printed = await run(
      body(`console.log({ toJSON() { throw 1 } }, new Proxy({}, { get() { throw 2 } }), { get message() { throw 3 } });
        console.log(Object.assign(new Error('x'), { stack: 'y'.repeat(1e6) })); return 1`),
    );
    expect(printed).toEqual({ kind: 'value', value: 1 });
    expect(logs).toHaveLength(2);
    expect(logs.every((line) => line.length <= 10_000)).toBe(true);
  });

  test('an unhandled rejection is reported and affects no other call', async () => {
    logs.length = 0;
    expect(await run(body('Promise.reject(new Error("left")); return 1'))).toEqual({
      kind: 'value',
      value: 1,
    });
    expect(logs).toEqual(['Unhandled promise rejection: left']);
    const later = body(
      'const p = Promise.reject(new Error("late")); await null; p.catch(() => {}); return 2',
    );
    expect(await run(later)).toEqual({ kind: 'value', value: 2 });
    expect(describeResult(await run(body('Promise.reject(1); throw new Error("thrown")')))).toBe(
      'CODE_THROWN',
    );
    expect(
      describeResult(await run(body('Promise.reject({ get message() { for (;;); } }); return 1'), 500)),
    ).toMatch(/CODE_TIMEOUT|it gave 1/);
  });

  test('all processes killed in the middle, from outside: every call ends, and the next one runs', async () => {
    const calls = ['a', 'b', 'c'].map((owner) =>
      run(body('const end = Date.now() + 300; while (Date.now() < end); return 3'), PATIENT, owner),
    );
    await after(150);
    for (const pid of sandbox.pids()) process.kill(pid, 'SIGKILL');
    // A call whose process died is made once more: code has no effects.
    for (const result of await Promise.all(calls)) expect(result).toEqual({ kind: 'value', value: 3 });
  });
});

describe.runIf(process.platform === 'linux')('around the process', () => {
  const stat = (pid: number, field: number): number => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[field - 3]);
  };

  test('it has the lowest priority; a long call gets only idle time, and its process is not reused', async () => {
    await run('export default () => 1', PATIENT, 'polite');
    const pids = sandbox.pids();
    const loop = run(body('for (;;);'), 12_000, 'polite');
    const policies = (): (number | undefined)[][] =>
      sandbox.pids().map((pid) => [stat(pid, 19), stat(pid, 41)]);
    // 5: SCHED_IDLE.
    const isLast = (): boolean => policies().some(([nice, policy]) => policy === 5 || nice === 19);
    for (let i = 0; i < 115 && !isLast(); i++) await after(100);
    expect(isLast()).toBe(true);
    expect(policies().every(([nice]) => nice === 10 || nice === 19)).toBe(true);
    expect(describeResult(await loop)).toBe('CODE_TIMEOUT');
    const before = new Set(pids);
    expect(
      await run(body('const end = Date.now() + 400; while (Date.now() < end); return 1'), PATIENT, 'polite'),
    ).toEqual({ kind: 'value', value: 1 });
    await after(50);
    expect(sandbox.pids().every((pid) => !before.has(pid) || stat(pid, 41) === 0)).toBe(true);
  });

  test('it has the limits of the system', async () => {
    await run('export default () => 1', PATIENT, 'limited');
    for (const pid of sandbox.pids()) {
      const processLimits = readFileSync(`/proc/${pid}/limits`, 'utf8');
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      // Where the system does not allow limits, none are set, and the log says so.
      if (!/Max open files +64 /.test(processLimits)) continue;
      expect(processLimits).toMatch(/Max core file size +0 /);
      expect(processLimits).toMatch(/Max file size +0 /);
      expect(processLimits).toMatch(/Max data size +2684354560 /);
      expect(status).toMatch(/NoNewPrivs:\t1/);
      if (/^Uid:\t65534/m.test(status)) {
        expect(processLimits).toMatch(/Max processes +512 /);
        expect(status).toMatch(/CapEff:\t0{16}/);
        expect(status).toMatch(/CapBnd:\t0{16}/);
      }
    }
  });
});
