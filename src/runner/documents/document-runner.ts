import { fileURLToPath } from 'node:url';
import { dirname, resolve } from 'node:path';
import type { DocumentCall, DocumentProgram, DocumentResult } from '../../contract/documents.ts';
import type { NodeErrorType } from '../../contract/execution.ts';
import { limits } from '../../ports/limits.ts';
import { listIsolationLevels, type Launch } from '../sandbox/isolation-launcher.ts';
import { runOnce, type SingleRun } from '../sandbox/single-run.ts';
import { parseResponse, printRequest } from './document-messages.ts';

/** Limits of the heap, in MB. A small space for new objects needs less memory. */
const HEAP_OPTIONS = ['--max-old-space-size=512', '--max-semi-space-size=8'];
/** Limit of data segments of the process, in bytes: V8 reserves most of it. */
const MAX_DATA_BYTES = 3 * 1024 ** 3;

export type DocumentRunner = {
  /** Never rejects. */
  run(call: DocumentCall, ownerId: string, signal: AbortSignal): Promise<DocumentResult>;
  /** Cancels running and waiting work. */
  close(): void;
};

export type DocumentRunnerOptions = {
  launches?: (program: DocumentProgram) => Launch[];
  /** ms. */
  timeout?: number;
};

type Waiting = { start(): void };

/**
 * Runs programs for documents in separate processes, one for each document. Documents wait in one queue per
 * owner, and the owners take turns.
 */
export function createDocumentRunner({
  launches = listDocumentLaunches,
  timeout = limits.documentTimeMs,
}: DocumentRunnerOptions = {}): DocumentRunner {
  const closing = new AbortController();
  /** A map keeps its order: an owner whose document starts goes to its end. */
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;
  let running = 0;

  function startNext(): void {
    for (const [ownerId, queue] of queues) {
      if (running >= limits.documentProcesses) return;
      const next = queue.shift();
      queues.delete(ownerId);
      if (queue.length > 0) queues.set(ownerId, queue);
      if (next === undefined) continue;
      running++;
      waiting--;
      next.start();
    }
  }

  /** Resolves with whether a process may start; false when `signal` aborts first. */
  function enter(ownerId: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((done) => {
      const queue = queues.get(ownerId) ?? [];
      const onAbort = (): void => {
        const at = queue.indexOf(entry);
        if (at < 0) return;
        queue.splice(at, 1);
        waiting--;
        done(false);
      };
      const entry = {
        start() {
          signal.removeEventListener('abort', onAbort);
          done(true);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.push(entry);
      queues.set(ownerId, queue);
      waiting++;
      startNext();
    });
  }

  async function runProgram(
    { program, task, content }: DocumentCall,
    signal: AbortSignal,
  ): Promise<DocumentResult> {
    const run = await runOnce({
      request: () => printRequest(task, content),
      launches: launches(program),
      env: {},
      timeout,
      maxBytes: limits.documentResultBytes + 1024,
      signal,
    });
    return toResult(run, timeout, signal.aborted);
  }

  return {
    async run(call, ownerId, given) {
      const signal = AbortSignal.any([closing.signal, given]);
      const { content } = call;
      const size = content instanceof Uint8Array ? content.byteLength : content.size;
      if (size !== undefined && size > limits.documentBytes)
        return refused('limit', `must have at most ${limits.documentBytes} bytes, not ${size}`);
      if (waiting >= limits.documentQueue)
        return refused('rate_limited', 'cannot be processed now: too many documents are waiting');
      if (signal.aborted || !(await enter(ownerId, signal))) return STOPPED;
      try {
        return await runProgram(call, signal);
      } finally {
        running--;
        startNext();
      }
    },
    close: () => closing.abort(),
  };
}

const STOPPED = refused('stopped', 'was not processed: the attempt ended');

/** Returns the ways to start a program, strongest isolation first. */
export function listDocumentLaunches(program: DocumentProgram): Launch[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`./${program}-process.${isSource ? 'ts' : 'js'}`, import.meta.url));
  // A build is a single file. The source imports other files and packages.
  const readable = isSource ? `${resolve(dirname(file), '../../..')}/` : file;
  return listIsolationLevels(
    ['--permission', `--allow-fs-read=${readable}`, '--no-warnings', '--no-addons', ...HEAP_OPTIONS, file],
    ['--nofile=64', `--data=${MAX_DATA_BYTES}`, `--cpu=${Math.ceil(limits.documentTimeMs / 1000)}`],
  );
}

function toResult(run: SingleRun, timeout: number, isCancelled: boolean): DocumentResult {
  switch (run.kind) {
    case 'late':
      return refused('timeout', `could not be processed within ${timeout} ms`);
    case 'broken':
      return isCancelled ? STOPPED : CRASHED;
    case 'unavailable':
      return refused('internal', 'cannot be processed on this machine: the process could not be started');
    default:
      return parseResponse(run.bytes) ?? CRASHED;
  }
}

const CRASHED = refused('limit', 'could not be processed: it needs too much memory, or is too complex');

function refused(type: NodeErrorType, issue: string): DocumentResult {
  return { kind: 'refused', type, field: 'value', issue };
}
