import type { FieldError } from '../contract/errors.ts';
import type { CodeBundle, PackageLock } from '../contract/packages.ts';

/**
 * Makes one text of a handler and the packages that it needs. Nothing of them is run, and nothing is taken that is not in the
 * lock. What cannot be done is a list of faults; `field` is `dependencies…` or `handler`.
 */
export type PackageBundler = {
  /** @throws {WeftError} RATE_LIMITED when too many wait, or the owner's last one is not done. */
  bundle(
    ownerId: string,
    handler: string,
    lock: PackageLock,
  ): Promise<{ kind: 'bundle'; bundle: CodeBundle } | { kind: 'refused'; faults: FieldError[] }>;
};
