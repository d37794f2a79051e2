import type { CustomNode } from '../../contract/requests/node.ts';

/** One version of a node type that its owner registered. */
export type CustomNodeRow = { ownerId: string; node: CustomNode; createdAt: number };

/** A workflow that was saved with a node, in these of its versions. */
export type NodeUse = { workflowId: string; name: string; versions: number[] };

/** They go with their owner. */
export type CustomNodeStore = {
  /**
   * `exists`: this version is there, and stays as it is. `deleted`: it was there once, and does not come back. `full`: the owner
   * has no room for it.
   */
  create(
    row: CustomNodeRow,
    most: { versions: number; bytes: number },
  ): Promise<'created' | 'exists' | 'deleted' | 'full'>;
  /** A number that grows whenever the owner's nodes change; 0: there never were any. */
  changes(ownerId: string): Promise<number>;
  /** At most `most` workflows that have a node of this type in any of their versions; version null: of any version. */
  uses(ownerId: string, nodeType: string, version: string | null, most: number): Promise<NodeUse[]>;
  /**
   * Deletes one version, or all. `used`: a workflow that changed since `checkedAt` has it. `full`: the owner deleted `most` versions.
   */
  remove(
    ownerId: string,
    nodeType: string,
    version: string | null,
    times: { deletedAt: number; checkedAt: number },
    most: number,
  ): Promise<'removed' | 'missing' | 'used' | 'full'>;
  /** By type, and of one type by version. */
  all(ownerId: string): Promise<CustomNodeRow[]>;
};
