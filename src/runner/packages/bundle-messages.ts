import type { FieldError } from '../../contract/errors.ts';
import type { PackageFiles } from './package-files.ts';

/** What the bundling process reads from its input, as JSON, to the end of it. */
export type BundleRequest = { handler: string; maxSource: number; packages: PackageFiles[] };

/** What it writes, after the line `READY`, as JSON. `sizes`: bytes in the bundle by path of the package. */
export type BundleAnswer =
  | { kind: 'bundle'; source: string; sizes: Record<string, number> }
  | { kind: 'refused'; faults: FieldError[] };

export const READY = 'ready\n';
/** Faults that one answer has, and characters of one. */
export const MAX_FAULTS = 20;
export const MAX_ISSUE = 1_000;
