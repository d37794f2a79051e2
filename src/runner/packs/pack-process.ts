import { writeSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { setPriority } from 'node:os';
import tls from 'node:tls';
import { compileFunction } from 'node:vm';
import { encodeFrame, FrameReader } from '../sandbox/message-framing.ts';
import { createActionContext, toActionAuth } from './action-context.ts';
import { readAppRequest } from './app-request.ts';
import { loadChoices } from './load-choices.ts';
import { redirectConnections } from './pack-egress.ts';
import {
  MAX_PACK_ERROR_BODY_LENGTH,
  MAX_PACK_MESSAGE_LENGTH,
  RESPONSE_PIPE,
  type PackAppInput,
  type PackInput,
  type PackOutput,
  type PackRequest,
  type PackResponse,
} from './pack-messages.ts';
import { findPiece, listPiece, toItem, type Piece } from './piece.ts';
import { runTrigger } from './trigger-context.ts';

/*
 * Main program of the process of one pack. It has no environment, no files, no other programs and no network;
 * only pipes to the service, and a Unix socket through which the service opens checked connections. It
 * handles one call at a time. The service kills it when a call is cancelled or takes too long.
 */

/** The service limits its requests; this bounds the buffer if the stream is corrupt. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** Lower than the service, so that a busy pack does not slow it down. */
const NICENESS = 10;
const FILE_NAME = 'pack.cjs';

let piece: Piece | null = null;

function respond(response: PackResponse, texts: readonly string[] = []): void {
  const bytes = encodeFrame(response, texts);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(RESPONSE_PIPE, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
    }
  }
}

/** Evaluates the source as a CommonJS module that can require modules of Node.js only. */
function evaluate(source: string): unknown {
  const requireBuiltin = createRequire(import.meta.url);
  const require = (name: string): unknown => {
    if (!isBuiltin(name)) throw new Error(`It requires "${name}", which is not part of the package's file`);
    return requireBuiltin(name);
  };
  const module: { exports: unknown } = { exports: {} };
  const run = compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: FILE_NAME,
  }) as (...args: unknown[]) => void;
  run.call(module.exports, module.exports, require, module, `/${FILE_NAME}`, '/');
  return module.exports;
}

function load({ proxyPath, token, authorities }: PackRequest & { kind: 'load' }, source: string): void {
  // Handles and requests of Node.js lead to its internal classes.
  for (const name of ['_getActiveHandles', '_getActiveRequests'])
    Object.defineProperty(process, name, { value: () => [], configurable: false });
  if (authorities.length > 0)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...authorities]);
  redirectConnections(proxyPath, token);
  piece = findPiece(evaluate(source));
}

function loaded(): Piece {
  if (piece === null) throw new Error('The pack is not loaded');
  return piece;
}

type CallRequest = PackRequest & { kind: 'run' | 'choices' | 'app_request' };

async function runCall(request: CallRequest, text: string): Promise<string> {
  const { maxOutput } = request;
  const output = JSON.stringify(await runRequest(loaded(), request, text));
  if (Buffer.byteLength(output) > maxOutput)
    throw new Error(`The result is larger than ${maxOutput} bytes of JSON`);
  return output;
}

async function runRequest(current: Piece, request: CallRequest, text: string): Promise<PackOutput> {
  if (request.kind === 'app_request')
    return { value: await readAppRequest(current, JSON.parse(text) as PackAppInput), files: [] };
  const input = JSON.parse(text) as PackInput;
  if (request.kind === 'choices') return { value: await loadChoices(current, request, input), files: [] };
  const { operation, hook } = request;
  if (hook === null) return runAction(current, operation, input);
  return { value: await runTrigger(current, operation, hook, input), files: [] };
}

async function runAction(
  current: Piece,
  operation: string,
  { auth, ...input }: PackInput,
): Promise<PackOutput> {
  const action = toItem(current.actions()[operation]);
  if (typeof action['run'] !== 'function') throw new Error(`It has no action ${operation}`);
  const context = createActionContext({ ...input, auth: toActionAuth(current, auth) });
  const value = await (action['run'] as (context: unknown) => unknown).call(action, context.context);
  return { value: value ?? null, files: context.written };
}

async function serve(request: PackRequest, [text = '']: readonly string[]): Promise<void> {
  const { id } = request;
  try {
    let result = 'null';
    if (request.kind === 'load') load(request, text);
    else if (request.kind === 'list') result = JSON.stringify(listPiece(loaded()));
    else result = await runCall(request, text);
    respond({ kind: 'done', id }, [result]);
  } catch (error) {
    respond({ kind: 'failed', id, ...describeError(error) });
  }
}

/** Errors of HTTP libraries contain the request with its credentials, so only a few fields are passed on. */
function describeError(error: unknown): { message: string; status: number | null; body: unknown } {
  const { message, response, status, statusCode } = toItem(error);
  const fields = toItem(response);
  const code = [fields['status'], status, statusCode].find((one) => typeof one === 'number');
  return {
    message: (typeof message === 'string' ? message : String(error)).slice(0, MAX_PACK_MESSAGE_LENGTH),
    status: typeof code === 'number' ? code : null,
    body: limitBody(fields['body'] ?? fields['data']),
  };
}

function limitBody(body: unknown): unknown {
  try {
    const text = JSON.stringify(body) as string | undefined;
    return text === undefined || text.length > MAX_PACK_ERROR_BODY_LENGTH
      ? null
      : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

setPriority(NICENESS);
const reader = new FrameReader(MAX_REQUEST_BYTES);
let last: Promise<unknown> = Promise.resolve();
process.stdin.on('data', (piece: Buffer) => {
  for (const { header, texts } of reader.push(piece))
    last = last.then(() => serve(header as PackRequest, texts));
});
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
// An error outside the call must not end the process; it is printed, as by Node.js.
process.on('unhandledRejection', (error) => console.error(describeError(error).message));
process.on('uncaughtException', (error) => console.error(describeError(error).message));
respond({ kind: 'ready' });
