import type { CustomNode } from '../../contract/requests/node.ts';
import type { AuditedChange } from './audit.ts';

/** One version of a node type that its owner registered. */
export type CustomNodeRow = { ownerId: string; node: CustomNode; createdAt: number };

/** A workflow that uses a node, and the versions of the workflow that do. */
export type NodeUse = { workflowId: string; name: string; versions: number[] };

/** Custom nodes are deleted together with their owner. */
export type CustomNodeStore = {
  /**
   * `exists`: this version exists and is not changed. `deleted`: it existed before and cannot be recreated.
   * `full`: the owner has reached a limit.
   */
  create(
    row: CustomNodeRow,
    most: { versions: number; bytes: number },
    event?: AuditedChange,
  ): Promise<'created' | 'exists' | 'deleted' | 'full'>;
  /** A counter that grows whenever the owner's nodes change; 0: there never were any. */
  changes(ownerId: string): Promise<number>;
  /**
   * At most `most` workflows that use this type in any of their versions; version null: any version of the
   * type.
   */
  uses(ownerId: string, nodeType: string, version: string | null, most: number): Promise<NodeUse[]>;
  /**
   * Deletes one version, or all. `used`: a workflow that changed since `checkedAt` uses it. `full`: the owner
   * has reached the limit `most` of deleted versions.
   */
  remove(
    ownerId: string,
    nodeType: string,
    version: string | null,
    times: { deletedAt: number; checkedAt: number },
    most: number,
    event?: AuditedChange,
  ): Promise<'removed' | 'missing' | 'used' | 'full'>;
  /** Ordered by type, then by version. */
  all(ownerId: string): Promise<CustomNodeRow[]>;
};
