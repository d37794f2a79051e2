import type { LogLevel } from '../contract/execution.ts';
import type { CodeCall, CodeResult } from '../contract/node-type.ts';

/** Where code fails to compile; `line` and `column` from 1, null where the compiler names none. */
export type SyntaxProblem = { message: string; line: number | null; column: number | null };

/** Where user code runs: with nothing of the world, and at nobody's cost but its own. */
export type Sandbox = {
  /** Never rejects. Aborting the signal ends the call at once. What it logs comes with its end, before the result. */
  run(
    call: CodeCall & {
      ownerId: string;
      signal: AbortSignal;
      log: (level: LogLevel, message: string) => void;
    },
  ): Promise<CodeResult>;
  /** Compiles without running anything. Null: it compiles. Throws a WeftError RATE_LIMITED when there is no room now. */
  check(ownerId: string, source: string): Promise<SyntaxProblem | null>;
};
