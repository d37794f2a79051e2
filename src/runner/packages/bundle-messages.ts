import type { FieldError } from '../../contract/errors.ts';
import type { PackageFiles } from './package-files.ts';

/** The request, which the bundling process reads from stdin as JSON. */
export type BundleRequest = { handler: string; maxSource: number; packages: PackageFiles[] };

/** The response. `sizes`: bytes in the bundle by package path. */
export type BundleResponse =
  | { kind: 'bundle'; source: string; sizes: Record<string, number> }
  | { kind: 'refused'; errors: FieldError[] };

/** Maximum number of errors in a response, and maximum length of one in characters. */
export const MAX_ERRORS = 20;
export const MAX_ISSUE_LENGTH = 1_000;
