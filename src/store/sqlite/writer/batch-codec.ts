import type { ExecutionTrigger, ExecutionStatus, NodeError } from '../../../contract/execution.ts';
import type { Checkpoint, DedupeKey, NewExecution } from '../../../ports/store/checkpoint.ts';
import type { TickClaim } from '../../../ports/store/active-triggers.ts';

/**
 * Encodes a batch of checkpoints for a message between threads as one flat list. A message of objects repeats
 * every field name, which costs more than the rest of the message. The redo logs of earlier versions contain
 * the same list, so new values are appended (`redo-log-migration.ts`).
 */
export type EncodedBatch = unknown[];

/** Number of values per checkpoint in the list. */
const VALUES_PER_CHECKPOINT = 26;
const NONE: never[] = [];

export function encodeBatch(batch: readonly Checkpoint[]): EncodedBatch {
  const packed: EncodedBatch = [];
  for (const c of batch) {
    const { create } = c;
    const rare = pickRare(c);
    packed.push(
      c.executionId,
      c.worker,
      c.fence,
      c.seq,
      c.events,
      c.status,
      c.error,
      c.progress,
      c.currentNode,
      c.startTime,
      c.endTime,
      c.setTimers.length === 0 ? null : c.setTimers,
      c.clearTimers.length === 0 ? null : c.clearTimers,
      c.blobs.length === 0 ? null : c.blobs,
      create === null ? null : create.ownerId,
    );
    if (create === null) packed.push(null, null, null, null, null, null, null, null, null, null, rare);
    else
      packed.push(
        create.id,
        create.workflowId,
        create.workflowVersion,
        create.trigger,
        create.createdAt,
        create.parentId,
        create.retryOf,
        create.retention,
        create.dedupe,
        create.tick,
        rare,
      );
  }
  return packed;
}

export function decodeBatch(packed: EncodedBatch): Checkpoint[] {
  const batch: Checkpoint[] = [];
  for (let i = 0; i < packed.length; i += VALUES_PER_CHECKPOINT) {
    const ownerId = packed[i + 14] as string | null;
    const checkpoint: Checkpoint = {
      executionId: packed[i] as string,
      worker: packed[i + 1] as string,
      fence: packed[i + 2] as number,
      seq: packed[i + 3] as number,
      events: packed[i + 4] as string,
      status: packed[i + 5] as ExecutionStatus,
      error: packed[i + 6] as NodeError | null,
      progress: packed[i + 7] as number,
      currentNode: packed[i + 8] as string | null,
      startTime: packed[i + 9] as number | null,
      endTime: packed[i + 10] as number | null,
      setTimers: (packed[i + 11] as Checkpoint['setTimers'] | null) ?? NONE,
      clearTimers: (packed[i + 12] as string[] | null) ?? NONE,
      blobs: (packed[i + 13] as string[] | null) ?? NONE,
      create:
        ownerId === null
          ? null
          : {
              ownerId,
              id: packed[i + 15] as string,
              workflowId: packed[i + 16] as string,
              workflowVersion: packed[i + 17] as number,
              trigger: packed[i + 18] as ExecutionTrigger,
              createdAt: packed[i + 19] as number,
              parentId: packed[i + 20] as string | null,
              retryOf: packed[i + 21] as string | null,
              retention: packed[i + 22] as number,
              dedupe: packed[i + 23] as DedupeKey | null,
              tick: packed[i + 24] as TickClaim | null,
            },
    };
    const rare = packed[i + 25] as RareFields | null;
    if (rare !== null) putBack(checkpoint, rare);
    batch.push(checkpoint);
  }
  return batch;
}

/** Fields that very few checkpoints have. */
type RareFields = Pick<
  Checkpoint,
  'isFirstClaim' | 'wake' | 'completionStarts' | 'turns' | 'usage' | 'snapshot'
> &
  Pick<NewExecution, 'files' | 'polled'>;

function pickRare({
  isFirstClaim,
  wake,
  completionStarts,
  turns,
  usage,
  snapshot,
  create,
}: Checkpoint): RareFields | null {
  const files = create?.files;
  const polled = create?.polled;
  const isCommon =
    isFirstClaim === undefined &&
    wake === undefined &&
    completionStarts === undefined &&
    turns === undefined &&
    usage === undefined &&
    snapshot === undefined;
  if (isCommon && files === undefined && polled === undefined) return null;
  return {
    ...(isFirstClaim !== undefined && { isFirstClaim }),
    ...(wake !== undefined && { wake }),
    ...(completionStarts !== undefined && { completionStarts }),
    ...(turns !== undefined && { turns }),
    ...(usage !== undefined && { usage }),
    ...(snapshot !== undefined && { snapshot }),
    ...(files !== undefined && { files }),
    ...(polled !== undefined && { polled }),
  };
}

function putBack(
  checkpoint: Checkpoint,
  { isFirstClaim, wake, completionStarts, turns, usage, snapshot, files, polled }: RareFields,
): void {
  if (isFirstClaim !== undefined) checkpoint.isFirstClaim = isFirstClaim;
  if (wake !== undefined) checkpoint.wake = wake;
  if (completionStarts !== undefined) checkpoint.completionStarts = completionStarts;
  if (turns !== undefined) checkpoint.turns = turns;
  if (usage !== undefined) checkpoint.usage = usage;
  if (snapshot !== undefined) checkpoint.snapshot = snapshot;
  if (files !== undefined && checkpoint.create !== null) checkpoint.create.files = files;
  if (polled !== undefined && checkpoint.create !== null) checkpoint.create.polled = polled;
}
