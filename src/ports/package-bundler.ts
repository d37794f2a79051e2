import type { FieldError } from '../contract/errors.ts';
import type { CodeBundle, PackageLock } from '../contract/packs/packages.ts';

/**
 * Bundles a handler and its packages into one text. Runs none of their code, and uses only packages in the
 * lock. Errors have the `field` `dependencies…` or `handler`.
 */
export type PackageBundler = {
  /**
   * @throws {WeftError} RATE_LIMITED when too many requests wait, or the owner's previous one has not
   * finished.
   */
  bundle(
    ownerId: string,
    handler: string,
    lock: PackageLock,
  ): Promise<{ kind: 'bundle'; bundle: CodeBundle } | { kind: 'refused'; errors: FieldError[] }>;
};
