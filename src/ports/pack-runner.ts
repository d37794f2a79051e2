import type { Duplex } from 'node:stream';
import type { FieldError } from '../contract/errors.ts';
import type { LogLevel } from '../contract/execution.ts';
import type { PackCallResult } from '../contract/node-type.ts';
import type { PackAppEvent, PackAppRequest, PackCall } from '../contract/packs/pack-call.ts';
import type { NpmManifest } from '../contract/packs/npm-packs.ts';

/** A package that was read, with its archive. */
export type ReadPack =
  | { kind: 'pack'; manifest: NpmManifest; archive: Uint8Array }
  | { kind: 'refused'; errors: FieldError[] };

/** Opens a connection that the egress policy and the secrets of the call allow. Rejects with HttpFailure. */
export type OpenConnection = (to: { host: string; port: number }, signal: AbortSignal) => Promise<Duplex>;

/** A pack could not read a request. `message` has no values of the request. */
export class PackAppRequestError extends Error {
  override readonly name = 'PackAppRequestError';
}

/** Runs packages of npm, each in a process without network, files and environment. */
export type PackRunner = {
  /**
   * Fetches an exact version from the registry, checks its hash and its signature, and lists what it
   * declares. `integrity` null: the registry must have keys. Errors have the field `package`, `version` or
   * `integrity`.
   */
  fetch(
    wanted: { name: string; version: string; integrity: string | null },
    signal: AbortSignal,
  ): Promise<ReadPack>;
  /** Lists what the package in an archive declares. Errors have the field `archive`. */
  read(archive: Uint8Array, signal: AbortSignal): Promise<ReadPack>;
  /**
   * Verifies a request to the address of a pack, and reads its event, without network. Rejects with a
   * WeftError when the store that has the archive is unavailable, and with a PackAppRequestError otherwise.
   */
  readAppRequest(request: PackAppRequest, signal: AbortSignal): Promise<PackAppEvent>;
  /**
   * Runs an action. Aborting the signal kills the process. Rejects with a WeftError when the store that has
   * the archive is unavailable, and otherwise never. Log entries arrive before the result.
   */
  run(
    call: PackCall & {
      ownerId: string;
      signal: AbortSignal;
      open: OpenConnection;
      log: (level: LogLevel, message: string) => void;
    },
  ): Promise<PackCallResult>;
};
