import type { NodeStreamEvent } from '../../../contract/ai/stream-events.ts';
import type { DecisionChoice } from '../../../contract/decisions/decisions.ts';
import type { Engine, ExecutionEnd } from '../../../engine/engine-api.ts';
import type { DecisionRow, DecisionStore } from '../../../ports/store/decisions.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';
import type { EntryReader } from './execution-follower.ts';
import { StreamFollower, type FollowerDeps, type FollowersByExecution } from './stream-follower.ts';
import type { StreamPosition } from './stream-position.ts';
import type { TextEvent } from './streamed-texts.ts';

/** An event of the stream of an execution, with secrets redacted. `at` in epoch ms. */
export type StreamedEvent = { readonly id: string; readonly at: number } & (
  | {
      readonly node: { readonly id: string; readonly path: string };
      readonly event: NodeStreamEvent | TextEvent | ({ readonly type: 'approval' } & Approval);
    }
  | { readonly node: null; readonly event: { readonly type: 'done' } & ExecutionEnd }
);

/** A question that an execution asks people, as it is when the event is sent. */
export type Approval = Pick<DecisionRow, 'title' | 'status' | 'choice' | 'deadlineAt'> & {
  readonly decisionId: string;
  readonly message: string | null;
  readonly choices: readonly DecisionChoice[];
};

export type StreamReader = Pick<EntryReader<never>, 'ready' | 'isClosed' | 'onClose'> & {
  event(event: StreamedEvent): void;
};

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
