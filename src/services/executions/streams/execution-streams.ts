import type { NodeStreamEvent } from '../../../contract/ai/stream-events.ts';
import type { DecisionChoice } from '../../../contract/decisions/decisions.ts';
import { validationError } from '../../../contract/errors.ts';
import type { SettledStatus } from '../../../contract/execution.ts';
import type { Engine, ExecutionEnd, ExecutionStreamEvent } from '../../../engine/engine-api.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LiveTexts } from '../../../ports/live-texts.ts';
import type { Events } from '../../../ports/events.ts';
import type { DecisionRow, DecisionStore } from '../../../ports/store/decisions.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../../ports/store/executions.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';
import { StreamedTexts, type PartialText, type TextEvent } from './streamed-texts.ts';
import { followExecution, type EntryReader } from './execution-follower.ts';

const POSITION = /^(\d{1,15})\.(\d{1,15})$/;
const PARTIAL_TEXT = /^([^,]{1,2000}),(\d{1,9}),([0-9a-f]{16})$/;

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
export function createExecutionStreams(deps: {
  readonly executions: Pick<ExecutionStore, 'get'>;
  readonly engine: Pick<Engine, 'stream'>;
  readonly decisions: Pick<DecisionStore, 'findByRun'>;
  readonly events: Pick<Events, 'subscribe'>;
  readonly clock: Clock;
  readonly liveTexts: Pick<LiveTexts, 'follow'>;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
}) {
  async function readApproval(row: ExecutionRow, path: string) {
    const decision = await deps.decisions.findByRun(row.ownerId, row.id, path);
    if (decision === null) return null;
    const { id, title, status, choice, deadlineAt } = decision;
    const { message, choices } = decision.question;
    return { type: 'approval' as const, decisionId: id, title, message, choices, status, choice, deadlineAt };
  }

  return {
    /** Sends the events after the position `after` (null: all) until the execution ends. */
    async follow(row: ExecutionRow, after: StreamPosition | null, reader: StreamReader): Promise<void> {
      const [redact, stream] = await Promise.all([deps.loadRedactor(row.ownerId), deps.engine.stream(row)]);
      let isDone = false;
      let id = after === null ? '0.0' : after.position.join('.');
      const send = (event: StreamedEvent): void =>
        reader.event({ ...event, id: id + texts.partial.map(formatPartialText).join('') });
      const texts = new StreamedTexts(after?.texts ?? [], redact, (node, event) =>
        send({ id, at: deps.clock.now(), node, event }),
      );

      function trackText({ id: entryId, node, event }: ExecutionStreamEvent, isNew: boolean): void {
        if (node === null) return;
        if (event.type === 'started') texts.start(node);
        else if (event.type === 'text' || event.type === 'usage') {
          const whole = event.type === 'text' ? redact(event.text) : '';
          if (isNew) texts.complete(node, whole, () => (id = entryId));
          else texts.forget(node);
        } else if (event.type === 'discarded') {
          if (isNew) texts.discard(node, event.isFinal);
          else if (event.isFinal) texts.forget(node);
        }
      }

      async function pass({ at, node, event }: ExecutionStreamEvent): Promise<void> {
        if (node === null) {
          isDone = true;
          send({ id, at, node, event: redact(event) });
        } else if (event.type === 'waiting') {
          const approval = await readApproval(row, node.path);
          if (approval !== null) send({ id, at, node, event: redact(approval) });
        } else if (event.type !== 'text' && event.type !== 'started' && event.type !== 'discarded')
          send({ id, at, node, event: redact(event) });
      }

      const leave = deps.liveTexts.follow(row.id, (piece) => texts.receive(piece));
      await followExecution<ExecutionStreamEvent>(
        row,
        {
          ...reader,
          async entry(entry) {
            const isNew = after === null || isAfter(entry.id, after.position);
            trackText(entry, isNew);
            if (!isNew) return;
            ({ id } = entry);
            await pass(entry);
          },
          end(status) {
            // The version of the workflow cannot be read, so there are no events.
            if (!isDone && after === null)
              send({
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
      ).finally(leave);
    },
  };
}

export type ExecutionStreams = ReturnType<typeof createExecutionStreams>;

/** Where a client is in the stream: after the event at `position`, with parts of `texts`. */
export type StreamPosition = {
  readonly position: readonly [number, number];
  readonly texts: readonly PartialText[];
};

/** Reads `Last-Event-ID`; null without one. @throws {WeftError} VALIDATION_ERROR */
export function readStreamPosition(lastEventId: unknown): StreamPosition | null {
  if (lastEventId === undefined) return null;
  const found = typeof lastEventId === 'string' ? parseId(lastEventId) : null;
  if (found === null)
    throw validationError([{ field: 'Last-Event-ID', issue: 'must be the id of an event of this stream' }]);
  return found;
}

const formatPartialText = ({ path, length, digest }: PartialText): string =>
  `~${encodeURIComponent(path)},${length},${digest}`;

function isAfter(id: string, [number, index]: StreamPosition['position']): boolean {
  const [ownNumber, ownIndex] = parseId(id)?.position ?? [0, 0];
  return ownNumber > number || (ownNumber === number && ownIndex > index);
}

function parseId(id: string): StreamPosition | null {
  const [first = '', ...rest] = id.split('~');
  const match = POSITION.exec(first);
  if (match === null) return null;
  const texts: PartialText[] = [];
  for (const part of rest) {
    const [, path = '', length = '', digest = ''] = PARTIAL_TEXT.exec(part) ?? [];
    if (path === '') return null;
    texts.push({ path: decodePath(path), length: Number(length), digest });
  }
  return { position: [Number(match[1]), Number(match[2])], texts };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
