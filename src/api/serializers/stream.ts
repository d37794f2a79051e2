import type { Json } from '../../lib/json/json.ts';
import { isoOrNull, isoTime } from '../../lib/time/iso-time.ts';
import type { StreamedEvent, StreamReader } from '../../services/executions/streams/execution-streams.ts';
import type { EventSink } from '../rest/route.ts';

/** Sends the events of an execution as server-sent events. */
export function createStreamReader(sink: EventSink): StreamReader {
  return {
    event: (event) => sink.send(presentStreamEvent(event) as Json, event.event.type, event.id),
    ready: () => sink.ready(),
    isClosed: () => sink.closed,
    onClose: (run) => sink.onClose(run),
  };
}

/** The data of an event of the stream of an execution. */
function presentStreamEvent({ at, node, event }: StreamedEvent) {
  const timestamp = isoTime(at);
  if (event.type === 'done') return { ...event, timestamp };
  const common = { node_id: node?.id ?? '', path: node?.path ?? '', timestamp };
  if (event.type !== 'approval') return { ...event, ...common };
  const { decisionId, choices, deadlineAt, ...rest } = event;
  return {
    ...rest,
    ...common,
    decision_id: decisionId,
    choices: choices.map(({ name, label }) => ({ name, label })),
    deadline: isoOrNull(deadlineAt),
  };
}
