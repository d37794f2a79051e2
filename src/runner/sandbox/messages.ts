import type { LogLevel } from '../../contract/execution.ts';

/** Asks a sandbox process for one thing. `owner` tells owners apart and says nothing about them. */
export type Request =
  | {
      kind: 'run';
      id: number;
      owner: number;
      /** ms. */
      timeout: number;
      /** MB of an isolate's heap, and of the whole process. */
      memory: number;
      processMemory: number;
      /** Bytes of the result as JSON. */
      maxOutput: number;
    }
  /** Compiles, and runs nothing. */
  | { kind: 'check'; id: number; owner: number; timeout: number; memory: number; processMemory: number };

export const failureKinds = [
  'thrown',
  'syntax',
  'export',
  'unsettled',
  'result',
  'timeout',
  'out_of_memory',
] as const;
export type FailureKind = (typeof failureKinds)[number];

export type LogLine = { level: LogLevel; message: string };

/** What a sandbox process says. The result of a `done` is the frame's text. */
export type Answer =
  | { kind: 'ready' }
  | { kind: 'done'; id: number; logs: LogLine[] }
  | {
      kind: 'failed';
      id: number;
      logs: LogLine[];
      failure: FailureKind;
      message: string;
      line: number | null;
      column: number | null;
    };

/** Bounds of what user code may log in one call. */
export const MAX_LOG_LINES = 1_000;
export const MAX_LOG_LINE = 10_000;
export const MAX_LOG_CHARACTERS = 256 * 1024;
/** Characters of an error's message. */
export const MAX_MESSAGE = 2_000;
/** Bytes of a frame beside its texts. A character takes at most six bytes of JSON. */
export const MAX_HEADER =
  6 * (MAX_LOG_CHARACTERS + 2 * MAX_LOG_LINE + MAX_MESSAGE) + 64 * MAX_LOG_LINES + 4_096;
