import type { NodeType } from '../contract/node-type.ts';

/** A catalogue as a lookup. Without a version: the newest. */
export type NodeTypes = {
  get(type: string, version?: string): NodeType | undefined;
  /** The newest version of every type, by name. */
  all(): readonly NodeType[];
  versions(type: string): readonly NodeType[];
};

/** The catalogue of one owner: the built-in types, and those that the owner registered until now. */
export type UserNodeTypes = { of(ownerId: string): Promise<NodeTypes> };
