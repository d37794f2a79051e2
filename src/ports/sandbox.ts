import type { LogLevel } from '../contract/execution.ts';
import type { CodeCall, CodeResult } from '../contract/node-type.ts';

/** A compile error; `line` and `column` start at 1 and are null when the compiler reports none. */
export type SyntaxProblem = { message: string; line: number | null; column: number | null };

/** Runs user code in isolation, without access to the process or its resources. */
export type Sandbox = {
  /**
   * Never rejects. Aborting the signal ends the call at once. Log entries arrive with the end, before the
   * result.
   */
  run(
    call: CodeCall & {
      ownerId: string;
      signal: AbortSignal;
      log: (level: LogLevel, message: string) => void;
    },
  ): Promise<CodeResult>;
  /** Compiles without running. Null: no error. Throws WeftError RATE_LIMITED when the queue is full. */
  check(ownerId: string, source: string): Promise<SyntaxProblem | null>;
};
