import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type ivm from 'isolated-vm';
import { encodeFrame, FrameReader } from './message-framing.ts';
import { GUEST_RUNTIME } from './guest-runtime.ts';
import {
  MAX_LOG_LINES,
  MAX_MESSAGE_LENGTH,
  type Response,
  type FailureKind,
  type LogLine,
  type Request,
} from './messages.ts';

/*
 * Main program of a sandbox process. It has no environment, no files and, where the system allows it, no
 * network; only two pipes to the service, which validates everything that it receives. User code runs in an
 * isolate on a separate thread, so that this thread can end the process when the time or memory is used up.
 *
 * The process handles one call at a time, each in its own context. The isolate belongs to the last owner and
 * is never shared between owners. A call that fails to finish ends the process, so that its remains cannot
 * affect the next call.
 */

/** The service limits its requests; this bounds the buffer if the stream is corrupt. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** Interval of memory checks during a call. */
const MEMORY_CHECK_INTERVAL_MS = 20;
const CODE = 'code.js';
/** User code can throw any value. */
type ThrownValue = { message?: unknown; stack?: unknown };
/** Stack lines of the guest runtime. */
const RUNTIME_FRAMES = /(?:\n +at new Promise \(<anonymous>\))?\n +at [^\n]*<isolated-vm[^\n]*/g;

const [, , addon = ''] = process.argv;
const { Isolate, Callback } = (createRequire(import.meta.url)(addon) as { ivm: typeof ivm }).ivm;

type Context = { context: ivm.Context; harness: ivm.Reference<Record<string, unknown>> };
type OwnerIsolate = { owner: number; isolate: ivm.Isolate; script: ivm.Script; spare: Context | null };

/** An error of the user's code. */
class CodeFailure extends Error {
  readonly failure: FailureKind;
  readonly line: number | null;
  readonly column: number | null;
  constructor(failure: FailureKind, message: string, location: [number, number] | null = null) {
    super(message);
    this.failure = failure;
    this.line = location?.[0] ?? null;
    this.column = location?.[1] ?? null;
  }
}

let home: OwnerIsolate | null = null;
let logs: LogLine[] = [];

function respond(response: Response, texts: readonly string[] = []): void {
  const bytes = encodeFrame(response, texts);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') exitNow();
    }
  }
}

/** Ends the process immediately. An ordinary exit would wait for the thread that runs the user's code. */
function exitNow(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has ended');
}

function fail(id: number, { failure, message, line, column }: CodeFailure): void {
  respond({ kind: 'failed', id, logs, failure, message, line, column });
}

function getIsolate(owner: number, request: Request): OwnerIsolate {
  if (home?.owner === owner && !home.isolate.isDisposed) return home;
  if (home !== null && !home.isolate.isDisposed) home.isolate.dispose();
  const isolate = new Isolate({
    memoryLimit: request.memory,
    onCatastrophicError: () => endCall('out_of_memory', 'The code exceeded its memory limit'),
  });
  home = { owner, isolate, script: isolate.compileScriptSync(GUEST_RUNTIME), spare: null };
  return home;
}

function newContext({ isolate, script }: OwnerIsolate): Context {
  const context = isolate.createContextSync();
  const harness: ivm.Reference<Record<string, unknown>> = script.runSync(context, { reference: true });
  const report = new Callback((level: unknown, message: unknown) => addLogLine(level, message), {
    ignored: true,
  });
  harness.getSync('open', { reference: true }).applySync(undefined, [report]);
  return { context, harness };
}

/** The guest runtime limits log output; this limit holds if the code bypasses it. */
function addLogLine(level: unknown, message: unknown): void {
  if (typeof level === 'string' && typeof message === 'string' && logs.length <= MAX_LOG_LINES)
    logs.push({ level: level as LogLine['level'], message: message.replace(RUNTIME_FRAMES, '') });
}

let current: Request | null = null;

/** Ends the running call and the process. */
function endCall(failure: FailureKind, message: string): void {
  if (current !== null) fail(current.id, new CodeFailure(failure, message));
  exitNow();
}

async function compile({ isolate }: OwnerIsolate, source: string): Promise<ivm.Module> {
  let module: ivm.Module;
  try {
    module = await isolate.compileModule(source, { filename: CODE });
  } catch (error) {
    const { message, place } = readLocation(String((error as ThrownValue).message));
    throw new CodeFailure('syntax', message, place);
  }
  if (module.dependencySpecifiers.length > 0) {
    const named = String(module.dependencySpecifiers[0]).slice(0, 100);
    throw new CodeFailure('syntax', `import is not available (importing "${named}")`);
  }
  return module;
}

/** `Unexpected token [code.js:2:13]` */
function readLocation(text: string): { message: string; place: [number, number] | null } {
  const [, message, line, column] = /^(.*) \[code\.js:(\d+):(\d+)\]$/s.exec(text) ?? [];
  return message === undefined
    ? { message: text, place: null }
    : { message, place: [Number(line), Number(column)] };
}

async function run(request: Request & { kind: 'run' }, source: string, input: string): Promise<void> {
  const own = getIsolate(request.owner, request);
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
      throw createFailure(
        'thrown',
        String((error as ThrownValue).message),
        String((error as ThrownValue).stack),
      );
    }
    const handler = readHandler(module);
    const go = harness.getSync('go', { reference: true }) as ivm.Reference;
    try {
      await go.apply(undefined, [handler.derefInto(), input, request.maxOutput]);
    } catch (error) {
      // The guest runtime throws nothing, so this is an unhandled promise of the user's code.
      if (own.isolate.isDisposed) throw error;
      addLogLine('warning', `Unhandled promise rejection: ${printValue(error)}`);
    }
    const get = harness.getSync('get', { reference: true }) as ivm.Reference;
    value = readOutcome(get.applySync(undefined, []) as string);
    // Unreleased references stay until a garbage collection and fill the isolate.
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
  respond({ kind: 'done', id: request.id, logs }, [value]);
}

function printValue(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_MESSAGE_LENGTH);
}

function readHandler(module: ivm.Module): ivm.Reference {
  let handler: ivm.Reference | null = null;
  try {
    handler = module.namespace.getSync('default', { reference: true }) as ivm.Reference;
  } catch {
    throw new CodeFailure('unsettled', 'The top-level await of the code never settles');
  }
  if (handler.typeof !== 'function')
    throw new CodeFailure('export', 'The code must have a function as its default export');
  return handler;
}

/** Parses the result of the guest runtime. Its text may be arbitrary because user code shares its context. */
function readOutcome(state: string): string {
  const rest = state.slice(1);
  switch (state[0]) {
    case 'v':
      return rest;
    case 't':
    case 'r': {
      const { message, stack } = JSON.parse(rest) as { message: unknown; stack: unknown };
      throw createFailure(state.startsWith('t') ? 'thrown' : 'result', String(message), String(stack));
    }
    default:
      throw new CodeFailure('unsettled', 'The promise returned by the code never settles');
  }
}

function createFailure(failure: FailureKind, message: string, stack: string): CodeFailure {
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
      endCall('out_of_memory', 'The code exceeded its memory limit');
  }, MEMORY_CHECK_INTERVAL_MS);
  try {
    if (request.kind === 'run') await run(request, source, input);
    else {
      (await compile(getIsolate(request.owner, request), source)).release();
      // Every source with a default export contains this word; whether the export is a function is known only
      // at run time.
      if (!/\bdefault\b/.test(source)) throw new CodeFailure('export', 'The code has no default export');
      respond({ kind: 'done', id: request.id, logs }, ['null']);
    }
  } catch (error) {
    if (home === null || home.isolate.isDisposed)
      endCall('out_of_memory', 'The code exceeded its memory limit');
    if (!(error instanceof CodeFailure)) throw error;
    fail(request.id, error);
  } finally {
    current = null;
    clearTimeout(time);
    clearInterval(look);
  }
  // Prepare the context for the next call of this owner.
  const own = home;
  if (own !== null && own.spare === null && !own.isolate.isDisposed)
    setImmediate(() => {
      if (current === null && home === own && own.spare === null) own.spare = newContext(own);
    });
}

const reader = new FrameReader(MAX_REQUEST_BYTES);
process.stdin.on('data', (piece: Buffer) => {
  for (const { header, texts } of reader.push(piece)) void serve(header as Request, texts);
});
process.stdin.on('end', exitNow);
process.stdin.on('error', exitNow);
process.on('unhandledRejection', exitNow);
respond({ kind: 'ready' });
