import type { Json } from '../../lib/json/json.ts';
import type { AuditedChange } from './audit.ts';

/**
 * An output that runs from the editor use instead of running the node. `ports`: its output ports; with
 * several, `output` is an object by port; null: the first port of the node.
 */
export type PinnedOutput = {
  nodeId: string;
  output: Json;
  ports: readonly string[] | null;
  pinnedAt: number;
};

/** `missing`: the owner has no such workflow. Others: a limit of pinned outputs is reached. */
export type PinResult = 'saved' | 'missing' | 'too_many' | 'too_large';

export type PinnedOutputStore = {
  /** By node id; null when the owner has no such workflow. */
  list(ownerId: string, workflowId: string): Promise<PinnedOutput[] | null>;
  /** Replaces the node's pinned output. */
  put(ownerId: string, workflowId: string, pinned: PinnedOutput, event?: AuditedChange): Promise<PinResult>;
  /** False when the node has no pinned output. */
  remove(ownerId: string, workflowId: string, nodeId: string, event?: AuditedChange): Promise<boolean>;
};
