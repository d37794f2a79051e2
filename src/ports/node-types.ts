import type { NodeType } from '../contract/node-type.ts';

/** The catalogue as a lookup. Without a version: the newest. */
export type NodeTypes = {
  get(type: string, version?: string): NodeType | undefined;
  /** The newest version of every type, by name. */
  all(): readonly NodeType[];
  versions(type: string): readonly NodeType[];
};
