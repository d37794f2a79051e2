import type { NodeStreamEvent } from '../../contract/ai/stream-events.ts';
import type { DecisionChoice } from '../../contract/decisions/decisions.ts';
import { validationError } from '../../contract/errors.ts';
import type { SettledStatus } from '../../contract/execution.ts';
import type { Engine, ExecutionEnd, ExecutionStreamEvent } from '../../engine/engine-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { DecisionRow, DecisionStore } from '../../ports/store/decisions.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import { followExecution } from './execution-follower.ts';

const EVENT_ID = /^(\d{1,15})\.(\d{1,15})$/;

/** An event of the stream of an execution, with secrets redacted. `at` in epoch ms. */
export type StreamedEvent = { readonly id: string; readonly at: number } & (
  | {
      readonly node: { readonly id: string; readonly path: string };
      readonly event: NodeStreamEvent | ({ readonly type: 'approval' } & Approval);
    }
  | { readonly node: null; readonly event: { readonly type: 'done' } & ExecutionEnd }
);

/** A question that an execution asks people, as it is when the event is sent. */
export type Approval = Pick<DecisionRow, 'title' | 'status' | 'choice' | 'deadlineAt'> & {
  readonly decisionId: string;
  readonly message: string | null;
  readonly choices: readonly DecisionChoice[];
};

export type StreamReader = {
  event(event: StreamedEvent): void;
  /** Resolves when the reader can accept more. */
  ready(): Promise<void>;
  isClosed(): boolean;
  /** Registers a callback that runs once when the reader disconnects. */
  onClose(run: () => void): void;
};

/** What callers receive that follow executions. Every event follows from the journal, so none is lost or sent twice. */
export function createExecutionStreams(deps: {
  readonly executions: Pick<ExecutionStore, 'get'>;
  readonly engine: Pick<Engine, 'stream'>;
  readonly decisions: Pick<DecisionStore, 'findByRun'>;
  readonly events: Pick<Events, 'subscribe'>;
  readonly clock: Clock;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
}) {
  async function complete(row: ExecutionRow, entry: ExecutionStreamEvent): Promise<StreamedEvent | null> {
    if (entry.event.type !== 'waiting' || entry.node === null) return entry as StreamedEvent;
    const { id, at, node } = entry;
    const decision = await deps.decisions.findByRun(row.ownerId, row.id, node.path);
    if (decision === null) return null;
    const { title, status, choice, deadlineAt } = decision;
    const { message, choices } = decision.question;
    return {
      id,
      at,
      node,
      event: {
        type: 'approval',
        decisionId: decision.id,
        title,
        message,
        choices,
        status,
        choice,
        deadlineAt,
      },
    };
  }

  return {
    /** Sends the events after the position `after` (null: all) until the execution ends. */
    async follow(row: ExecutionRow, after: StreamPosition | null, reader: StreamReader): Promise<void> {
      const [redact, stream] = await Promise.all([deps.loadRedactor(row.ownerId), deps.engine.stream(row)]);
      let isDone = false;
      await followExecution<ExecutionStreamEvent>(
        row,
        {
          ...reader,
          async entry(entry) {
            if (after !== null && !isAfter(entry.id, after)) return;
            if (entry.node === null) isDone = true;
            const event = await complete(row, entry);
            if (event !== null) reader.event({ ...event, event: redact(event.event) } as StreamedEvent);
          },
          end(status) {
            // The version of the workflow cannot be read, so there are no events.
            if (!isDone && after === null)
              reader.event({
                id: '0.0',
                at: row.endTime ?? row.createdAt,
                node: null,
                event: { type: 'done', status: status as SettledStatus, output: null, error: null },
              });
          },
        },
        {
          events: deps.events,
          clock: deps.clock,
          async read() {
            // Reads the row first, as the log does.
            const now = await deps.executions.get(row.ownerId, row.id);
            return now === null ? null : { row: now, ...(await stream.next()) };
          },
        },
      );
    },
  };
}

/** The id of an event: its numbers in the order of the stream. */
export type StreamPosition = readonly [number, number];

/** Reads `Last-Event-ID`; null without one. @throws {WeftError} VALIDATION_ERROR */
export function readStreamPosition(lastEventId: unknown): StreamPosition | null {
  if (lastEventId === undefined) return null;
  const position = typeof lastEventId === 'string' ? parseId(lastEventId) : null;
  if (position === null)
    throw validationError([{ field: 'Last-Event-ID', issue: 'must be the id of an event of this stream' }]);
  return position;
}

function isAfter(id: string, [number, place]: StreamPosition): boolean {
  const [ownNumber, ownPlace] = parseId(id) ?? [0, 0];
  return ownNumber > number || (ownNumber === number && ownPlace > place);
}

function parseId(id: string): StreamPosition | null {
  const match = EVENT_ID.exec(id);
  return match === null ? null : [Number(match[1]), Number(match[2])];
}
