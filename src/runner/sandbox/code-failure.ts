import type { CodeResult } from '../../contract/node-type.ts';
import type { FailureKind } from './messages.ts';

const codes = {
  thrown: 'CODE_THROWN',
  syntax: 'CODE_SYNTAX',
  export: 'CODE_NO_DEFAULT_EXPORT',
  unsettled: 'CODE_NEVER_SETTLES',
  result: 'CODE_RESULT',
  timeout: 'CODE_TIMEOUT',
  out_of_memory: 'CODE_OUT_OF_MEMORY',
} as const satisfies Record<FailureKind, string>;

/** Failure codes in addition to those of the process. */
type Code =
  | 'CODE_INPUT_TOO_LARGE'
  | 'CODE_TIMEOUT'
  | 'CODE_OUT_OF_MEMORY'
  | 'CODE_CRASHED'
  | 'CODE_BUSY'
  | 'CODE_UNAVAILABLE'
  | 'CODE_STOPPED';

/** Creates a `code` error, or a `timeout`. `data` contains its code and the source location. */
export function createCodeFailure(
  kind: FailureKind | Code,
  message: string,
  location: { line: number | null; column: number | null } = { line: null, column: null },
): CodeResult {
  const { line, column } = location;
  const code = isKind(kind) ? codes[kind] : kind;
  return {
    kind: 'failed',
    error: {
      type: code === 'CODE_TIMEOUT' ? 'timeout' : 'code',
      message,
      data: {
        code,
        ...(line === null ? {} : { line }),
        ...(column === null ? {} : { column }),
      },
    },
  };
}

function isKind(kind: FailureKind | Code): kind is FailureKind {
  return Object.hasOwn(codes, kind);
}
