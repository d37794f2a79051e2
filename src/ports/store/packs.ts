import type { PackKind } from '../../contract/packs/packs.ts';
import type { NodeUse } from './custom-nodes.ts';
import type { AuditedChange } from './audit.ts';

/** One version of a pack without its content. Times in ms since the epoch; `documentSize` in bytes. */
export type PackSummary = {
  name: string;
  /** major.minor.patch */
  version: string;
  kind: PackKind;
  title: string;
  description: string;
  /** Number of operations. */
  operations: number;
  /** SHA-256 of the document, or of the archive of a package, in hex. */
  documentHash: string;
  documentSize: number;
  /** The URL from which the document was loaded; null when it was given as text. */
  sourceUrl: string | null;
  /** The id of the user who installed it. */
  installedBy: string;
  installedAt: number;
};

/** `manifest` and `document`: text compressed by the caller. The archive of a package is in base64. */
export type PackRow = PackSummary & { manifest: string; document: string };

/** A workflow of any owner that uses a pack, and the versions of the workflow that do. */
export type PackUse = NodeUse & { ownerId: string };

/** Packs belong to the service, not to a user. */
export type PackStore = {
  /**
   * `same`: this version exists with the same document. `exists`: it exists with another one and is not
   * changed. `full`: a limit of all packs together is reached; `bytes` limits the compressed text.
   */
  create(
    row: PackRow,
    most: { versions: number; bytes: number },
    event?: AuditedChange,
  ): Promise<'created' | 'same' | 'exists' | 'full'>;
  /** A counter that grows whenever a pack is installed or removed; 0: there never were any. */
  changes(): Promise<number>;
  /** Ordered by name, then by version, oldest first. */
  all(): Promise<PackSummary[]>;
  /** The compressed manifest; null when the version does not exist. */
  manifest(name: string, version: string): Promise<string | null>;
  /** The compressed document; null when the version does not exist. */
  document(name: string, version: string): Promise<string | null>;
  /**
   * At most `most` workflows that use a pack's node type in any of their versions; version null: any version
   * of the type.
   */
  uses(nodeType: string, version: string | null, most: number): Promise<PackUse[]>;
  /** Removes one version, or all. `used`: a workflow that changed since `checkedAt` uses its node type. */
  remove(
    pack: { name: string; nodeType: string },
    version: string | null,
    checkedAt: number,
    event?: AuditedChange,
  ): Promise<'removed' | 'missing' | 'used'>;
};
