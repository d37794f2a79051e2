import { fileURLToPath } from 'node:url';
import { dirname, resolve } from 'node:path';
import { parsePackManifest } from '../../contract/packs/pack-schema.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import type { OpenApiReader, OpenApiSource } from '../../ports/openapi-reader.ts';
import { limits } from '../../ports/limits.ts';
import { listIsolationLevels, type Launch } from '../sandbox/isolation-launcher.ts';
import { runOnce, type SingleRun } from '../sandbox/single-run.ts';
import { MAX_ISSUE_LENGTH, printRequest } from './openapi-messages.ts';

/** Limits of the heap, in MB. A small space for new objects needs less memory, and no more time. */
export const heapOptions = ['--max-old-space-size=160', '--max-semi-space-size=4'];
/** Limit of data segments of the process, in bytes. */
const MAX_DATA_BYTES = 2 * 1024 * 1024 * 1024;

export type OpenApiReaderOptions = {
  launches?: () => Launch[];
  /** ms. */
  timeout?: number;
};

type Result = Awaited<ReturnType<OpenApiReader['read']>>;

/** Reads documents in separate processes, one at a time. `close` cancels running work. */
export function createOpenApiReader({
  launches = listReaderLaunches,
  timeout = limits.openApiReadingMs,
}: OpenApiReaderOptions = {}): OpenApiReader & { close(): void } {
  const closing = new AbortController();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function read(source: OpenApiSource, signal: AbortSignal): Promise<Result> {
    const run = await runOnce({
      request: printRequest(source),
      launches: launches(),
      env: {},
      timeout,
      maxBytes: 2 * limits.openApiManifestBytes,
      signal: AbortSignal.any([closing.signal, signal]),
    });
    return toResult(run, timeout, signal.aborted);
  }

  return {
    async read(source, signal) {
      const size = Buffer.byteLength(source.text);
      if (size > limits.openApiDocumentBytes)
        return refused(`must have at most ${limits.openApiDocumentBytes} bytes, not ${size}`);
      if (waiting >= limits.openApiQueue)
        return refused('cannot be read now: too many documents are waiting');
      waiting++;
      const reading = last.then(() => read(source, signal));
      last = reading;
      try {
        return await reading;
      } finally {
        waiting--;
      }
    },
    close: () => closing.abort(),
  };
}

const isSource = import.meta.url.endsWith('.ts');
const PROGRAM = fileURLToPath(
  new URL(isSource ? './openapi-process.ts' : './openapi-process.js', import.meta.url),
);
/** A build is a single file. The source imports other files and packages. */
const PROGRAM_FILES = isSource ? `${resolve(dirname(PROGRAM), '../../..')}/` : PROGRAM;

/** Returns the ways to start the reading process, strongest isolation first. */
export function listReaderLaunches(file = PROGRAM, readable = PROGRAM_FILES): Launch[] {
  return listIsolationLevels(
    ['--permission', `--allow-fs-read=${readable}`, '--no-warnings', '--no-addons', ...heapOptions, file],
    ['--nofile=64', `--data=${MAX_DATA_BYTES}`, `--cpu=${Math.ceil(limits.openApiReadingMs / 1000)}`],
  );
}

function toResult(run: SingleRun, timeout: number, isCancelled: boolean): Result {
  switch (run.kind) {
    case 'late':
      return refused(`could not be read within ${timeout} ms`);
    case 'broken':
      return refused(isCancelled ? 'was not read: the request was cancelled' : CRASHED);
    case 'unavailable':
      return refused('cannot be read on this machine: the reading process could not be started');
    default:
      return readResponse(run.bytes.toString('utf8'));
  }
}

const CRASHED = 'could not be read: it needs too much memory, or is too complex';

/** Validates the response, because the process handles untrusted input. */
function readResponse(text: string): Result {
  let response: Json;
  try {
    response = JSON.parse(text) as Json;
  } catch {
    return refused(CRASHED);
  }
  if (!isObject(response)) return refused(CRASHED);
  const { kind, issue, manifest } = response;
  if (kind === 'refused' && typeof issue === 'string') return refused(issue.slice(0, MAX_ISSUE_LENGTH));
  if (kind !== 'manifest') return refused(CRASHED);
  const read = parsePackManifest(manifest ?? null);
  return 'manifest' in read
    ? { kind: 'manifest', manifest: read.manifest }
    : refused(`has an invalid form (${read.issue})`);
}

function refused(issue: string): Result {
  return { kind: 'refused', errors: [{ field: 'document', issue }] };
}
