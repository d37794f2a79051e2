import type { NodeThreads } from '../contract/ai/node-services.ts';
import type { Clock } from '../ports/clock.ts';
import type { Attempt } from '../ports/runner.ts';
import type { ThreadStore } from '../ports/store/ai/threads.ts';

export type ThreadReads = Pick<ThreadStore, 'read'>;

/** The access of one attempt to threads of its owner. */
export function createAttemptThreads(
  { threads, clock }: { threads: ThreadReads; clock: Pick<Clock, 'now'> },
  { ownerId, workflowId }: Pick<Attempt, 'ownerId' | 'workflowId'>,
): NodeThreads {
  return { read: (thread, tokens) => threads.read({ ownerId, workflowId }, thread, tokens, clock.now()) };
}
