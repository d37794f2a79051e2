import type { Engine } from '../../../engine/engine-api.ts';
import type { DecisionStore } from '../../../ports/store/decisions.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';
import { StreamFollower, type FollowerDeps, type FollowersByExecution } from './stream-follower.ts';
import type { StreamPosition } from './stream-position.ts';
import type { StreamReader } from './streamed-event.ts';

/**
 * What callers receive that follow executions. Every event follows from the journal, so none is lost or sent
 * twice, and the texts that are being written arrive earlier.
 */
export function createExecutionStreams(
  deps: Omit<FollowerDeps, 'readApproval'> & {
    readonly engine: Pick<Engine, 'stream'>;
    readonly decisions: Pick<DecisionStore, 'findByRun'>;
    loadRedactor(ownerId: string): Promise<JsonRedactor>;
  },
) {
  const followers: FollowersByExecution = new Map();

  async function readApproval(row: ExecutionRow, path: string) {
    const decision = await deps.decisions.findByRun(row.ownerId, row.id, path);
    if (decision === null) return null;
    const { id, title, status, choice, deadlineAt } = decision;
    const { message, choices } = decision.question;
    return { type: 'approval' as const, decisionId: id, title, message, choices, status, choice, deadlineAt };
  }

  return {
    /**
     * Returns a function that sends the events after the position `after` (null: all) until the execution
     * ends or the client leaves.
     * @throws {WeftError} VALIDATION_ERROR if the stream does not reach the position.
     */
    async open(row: ExecutionRow, after: StreamPosition | null): Promise<FollowStream> {
      const [redact, stream] = await Promise.all([deps.loadRedactor(row.ownerId), deps.engine.stream(row)]);
      const follower = new StreamFollower({ ...deps, readApproval }, row, after, redact, stream);
      await follower.open();
      return (reader) => follower.run(reader, followers);
    },
  };
}

export type FollowStream = (reader: StreamReader) => Promise<void>;
export type ExecutionStreams = ReturnType<typeof createExecutionStreams>;
