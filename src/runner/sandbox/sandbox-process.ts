import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type ivm from 'isolated-vm';
import { encodeFrame, FrameReader } from './message-framing.ts';
import { HARNESS } from './guest-runtime.ts';
import {
  MAX_LOG_LINES,
  MAX_MESSAGE,
  type Answer,
  type FailureKind,
  type LogLine,
  type Request,
} from './messages.ts';

/*
 * The program of a sandbox process. It holds nothing: no environment, no files, no network where the system allows
 * that; only two pipes to the service, which trusts nothing that comes back. User code runs in an isolate inside, on a
 * thread of its own, so that this one can end everything when the time or the memory is used up.
 *
 * One call at a time, each in a context of its own; the isolate is that of the last owner, and no other's. Whatever
 * ends other than well ends this process, too: what a broken-off call left behind cannot reach the next.
 */

/** The service bounds what it sends; this only keeps a torn stream from growing. */
const MAX_REQUEST = 64 * 1024 * 1024;
/** ms between two looks at the memory of the process while a call runs. */
const MEMORY_LOOK = 20;
const CODE = 'code.js';
/** Lines of a stack that are the harness's. */
const OUR_FRAMES = /(?:\n +at new Promise \(<anonymous>\))?\n +at [^\n]*<isolated-vm[^\n]*/g;

const [, , addon = ''] = process.argv;
const { Isolate, Callback } = (createRequire(import.meta.url)(addon) as { ivm: typeof ivm }).ivm;

type Context = { context: ivm.Context; harness: ivm.Reference<Record<string, unknown>> };
type Home = { owner: number; isolate: ivm.Isolate; script: ivm.Script; spare: Context | null };

/** A failure of the user's code. */
class CodeFailure extends Error {
  readonly failure: FailureKind;
  readonly line: number | null;
  readonly column: number | null;
  constructor(failure: FailureKind, message: string, place: [number, number] | null = null) {
    super(message);
    this.failure = failure;
    this.line = place?.[0] ?? null;
    this.column = place?.[1] ?? null;
  }
}

let home: Home | null = null;
let logs: LogLine[] = [];

function say(answer: Answer, texts: readonly string[] = []): void {
  const bytes = encodeFrame(answer, texts);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') end();
    }
  }
}

/** At once: an ordinary exit would wait for the thread that the user's code keeps busy. */
function end(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has ended');
}

function fail(id: number, { failure, message, line, column }: CodeFailure): void {
  say({ kind: 'failed', id, logs, failure, message, line, column });
}

function homeOf(owner: number, request: Request): Home {
  if (home?.owner === owner && !home.isolate.isDisposed) return home;
  if (home !== null && !home.isolate.isDisposed) home.isolate.dispose();
  const isolate = new Isolate({
    memoryLimit: request.memory,
    onCatastrophicError: () => endCall('out_of_memory', 'The code used up its memory'),
  });
  home = { owner, isolate, script: isolate.compileScriptSync(HARNESS), spare: null };
  return home;
}

function newContext({ isolate, script }: Home): Context {
  const context = isolate.createContextSync();
  const harness: ivm.Reference<Record<string, unknown>> = script.runSync(context, { reference: true });
  const report = new Callback((level: unknown, message: unknown) => logged(level, message), {
    ignored: true,
  });
  harness.getSync('open', { reference: true }).applySync(undefined, [report]);
  return { context, harness };
}

/** The harness bounds what comes; this holds should that be gone round. */
function logged(level: unknown, message: unknown): void {
  if (typeof level === 'string' && typeof message === 'string' && logs.length <= MAX_LOG_LINES)
    logs.push({ level: level as LogLine['level'], message: message.replace(OUR_FRAMES, '') });
}

let current: Request | null = null;

/** Ends the call that runs, and with it the process. */
function endCall(failure: FailureKind, message: string): void {
  if (current !== null) fail(current.id, new CodeFailure(failure, message));
  end();
}

async function compile({ isolate }: Home, source: string): Promise<ivm.Module> {
  let module: ivm.Module;
  try {
    module = await isolate.compileModule(source, { filename: CODE });
  } catch (error) {
    const { message, place } = located(String((error as Error).message));
    throw new CodeFailure('syntax', message, place);
  }
  if (module.dependencySpecifiers.length > 0) {
    const named = String(module.dependencySpecifiers[0]).slice(0, 100);
    throw new CodeFailure('syntax', `import is not available: it asks for "${named}"`);
  }
  return module;
}

/** `Unexpected token [code.js:2:13]` */
function located(text: string): { message: string; place: [number, number] | null } {
  const [, message, line, column] = /^(.*) \[code\.js:(\d+):(\d+)\]$/s.exec(text) ?? [];
  return message === undefined
    ? { message: text, place: null }
    : { message, place: [Number(line), Number(column)] };
}

async function run(request: Request & { kind: 'run' }, source: string, input: string): Promise<void> {
  const own = homeOf(request.owner, request);
  const { context, harness } = own.spare ?? newContext(own);
  own.spare = null;
  let value: string;
  try {
    const module = await compile(own, source);
    await module.instantiate(context, () => {
      throw new Error('import is not available');
    });
    try {
      await module.evaluate();
    } catch (error) {
      throw thrown('thrown', String((error as Error).message), String((error as Error).stack));
    }
    const handler = handlerOf(module);
    const go = harness.getSync('go', { reference: true }) as ivm.Reference;
    try {
      await go.apply(undefined, [handler.derefInto(), input, request.maxOutput]);
    } catch (error) {
      // The harness throws nothing: this is a promise of the code's own that nobody waits for.
      if (own.isolate.isDisposed) throw error;
      logged('warning', `A promise was rejected, and nothing handled it: ${textOf(error)}`);
    }
    const get = harness.getSync('get', { reference: true }) as ivm.Reference;
    value = outcomeOf(get.applySync(undefined, []) as string);
    // References that are not released stay until a collection, and fill the isolate.
    for (const reference of [handler, go, get]) reference.release();
    module.release();
  } finally {
    if (!own.isolate.isDisposed) {
      harness.release();
      context.release();
    }
  }
  if (Buffer.byteLength(value) > request.maxOutput)
    throw new CodeFailure('result', `The result is larger than ${request.maxOutput} bytes of JSON`);
  say({ kind: 'done', id: request.id, logs }, [value]);
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_MESSAGE);
}

function handlerOf(module: ivm.Module): ivm.Reference {
  let handler: ivm.Reference | null = null;
  try {
    handler = module.namespace.getSync('default', { reference: true }) as ivm.Reference;
  } catch {
    throw new CodeFailure('unsettled', 'The code waits at its top level for something that never comes');
  }
  if (handler.typeof !== 'function')
    throw new CodeFailure('export', 'The code must have a function as its default export');
  return handler;
}

/** What the harness says. Its text may be anything: the user's code shares its context. */
function outcomeOf(state: string): string {
  const rest = state.slice(1);
  switch (state[0]) {
    case 'v':
      return rest;
    case 't':
    case 'r': {
      const { message, stack } = JSON.parse(rest) as { message: unknown; stack: unknown };
      throw thrown(state.startsWith('t') ? 'thrown' : 'result', String(message), String(stack));
    }
    default:
      throw new CodeFailure(
        'unsettled',
        'The code waits for something that never comes: its promise cannot settle',
      );
  }
}

function thrown(failure: FailureKind, message: string, stack: string): CodeFailure {
  const [, line, column] = /code\.js:(\d+):(\d+)/.exec(stack) ?? [];
  return new CodeFailure(failure, message, line === undefined ? null : [Number(line), Number(column)]);
}

async function serve(request: Request, [source = '', input = 'null']: readonly string[]): Promise<void> {
  current = request;
  logs = [];
  const time = setTimeout(
    () => endCall('timeout', `The code did not end within ${request.timeout} ms`),
    request.timeout,
  );
  const look = setInterval(() => {
    if (process.memoryUsage.rss() > request.processMemory * 1024 * 1024)
      endCall('out_of_memory', 'The code used up its memory');
  }, MEMORY_LOOK);
  try {
    if (request.kind === 'run') await run(request, source, input);
    else {
      (await compile(homeOf(request.owner, request), source)).release();
      // The word stands in every source that has one; whether it is a function only a run can tell.
      if (!/\bdefault\b/.test(source)) throw new CodeFailure('export', 'it has no default export');
      say({ kind: 'done', id: request.id, logs }, ['null']);
    }
  } catch (error) {
    if (home === null || home.isolate.isDisposed) endCall('out_of_memory', 'The code used up its memory');
    if (!(error instanceof CodeFailure)) throw error;
    fail(request.id, error);
  } finally {
    current = null;
    clearTimeout(time);
    clearInterval(look);
  }
  // The next call of this owner finds its context made.
  const own = home;
  if (own !== null && own.spare === null && !own.isolate.isDisposed)
    setImmediate(() => {
      if (current === null && home === own && own.spare === null) own.spare = newContext(own);
    });
}

const reader = new FrameReader(MAX_REQUEST);
process.stdin.on('data', (piece: Buffer) => {
  for (const { header, texts } of reader.push(piece)) void serve(header as Request, texts);
});
process.stdin.on('end', end);
process.stdin.on('error', end);
process.on('unhandledRejection', end);
say({ kind: 'ready' });
