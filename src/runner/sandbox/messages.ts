import type { LogLevel } from '../../contract/execution.ts';

/** A request to a sandbox process. `owner` is an opaque number that distinguishes owners. */
export type Request =
  | {
      kind: 'run';
      id: number;
      owner: number;
      /** ms. */
      timeout: number;
      /** Memory limits in MB, of the isolate's heap and of the whole process. */
      memory: number;
      processMemory: number;
      /** Maximum size of the result in bytes of JSON. */
      maxOutput: number;
    }
  /** Compiles the source without running it. */
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

/** A response of a sandbox process. The result of a `done` is the text of the frame. */
export type Response =
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

/** Limits for the log output of one call. */
export const MAX_LOG_LINES = 1_000;
export const MAX_LOG_LINE_LENGTH = 10_000;
export const MAX_LOG_CHARACTERS = 256 * 1024;
/** Maximum length of an error message in characters. */
export const MAX_MESSAGE_LENGTH = 2_000;
/** Maximum size of a frame without its texts, in bytes. A character takes at most six bytes of JSON. */
export const MAX_HEADER =
  6 * (MAX_LOG_CHARACTERS + 2 * MAX_LOG_LINE_LENGTH + MAX_MESSAGE_LENGTH) + 64 * MAX_LOG_LINES + 4_096;
