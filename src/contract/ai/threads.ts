import type { Json } from '../../lib/json/json.ts';

/**
 * A thread of an owner. `namespace`: a name that workflows share; null: the thread belongs to the workflow of
 * the node.
 */
export type ThreadAddress = { readonly namespace: string | null; readonly key: string };

/**
 * What a node run adds to a thread when it completes: the messages of one turn. `retention` (ms): the thread
 * is deleted when nothing was added for this time; null: never.
 */
export type ThreadTurn = {
  readonly thread: ThreadAddress;
  readonly messages: readonly Json[];
  readonly retention: number | null;
};

export const MAX_THREAD_KEY_LENGTH = 256;
/** The number of turns that a thread keeps; older ones are deleted. */
export const MAX_THREAD_TURNS = 1_000;
/**
 * The number of threads of visitors without an account that a workflow or a namespace keeps; those that were
 * unused for the longest time are deleted.
 */
export const MAX_VISITOR_THREADS = 10_000;
/** A turn with more bytes of JSON is stored without its tool calls. */
export const MAX_TURN_BYTES = 256 * 1024;
/** The bytes of messages that are shown of a thread, the newest first. */
export const MAX_SHOWN_BYTES = 1024 * 1024;

const BYTES_PER_TOKEN = 4;

/** An estimate that holds for all models: their tokenizers differ, and counting exactly would need each. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
