import type { NodeType } from '../contract/node-type.ts';

/** Looks up node types. Without a version: the newest. */
export type NodeTypes = {
  get(type: string, version?: string): NodeType | undefined;
  /** The newest version of every type, by name. */
  all(): readonly NodeType[];
  versions(type: string): readonly NodeType[];
};

/** The node types of one owner: built-in types, and custom ones registered so far. */
export type UserNodeTypes = { of(ownerId: string): Promise<NodeTypes> };
