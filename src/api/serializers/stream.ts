import type { Json } from '../../lib/json/json.ts';
import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import type { StreamedEvent, StreamReader } from '../../services/executions/streams/streamed-event.ts';
import { formatEvent } from '../http/event-stream.ts';
import type { EventSink } from '../rest/route.ts';

/** The event that was formatted last. All clients of an execution receive it one after the other. */
let latest: { event: StreamedEvent; text: string } | null = null;

/** Sends the events of an execution as server-sent events. */
export function createStreamReader(sink: EventSink): StreamReader {
  return {
    event(event) {
      if (latest?.event !== event) latest = { event, text: formatStreamEvent(event) };
      sink.sendFormatted(latest.text);
    },
    ready: () => sink.ready(),
    isClosed: () => sink.closed,
    onClose: (run) => sink.onClose(run),
  };
}

const formatStreamEvent = (event: StreamedEvent): string =>
  formatEvent(presentStreamEvent(event) as Json, event.event.type, event.id);

/** The data of an event of the stream of an execution. */
function presentStreamEvent({ at, node, event }: StreamedEvent) {
  const timestamp = formatIsoTime(at);
  if (event.type === 'done') return { ...event, timestamp };
  const common = { node_id: node?.id ?? '', path: node?.path ?? '', timestamp };
  if (event.type !== 'approval') return { ...event, ...common };
  const { decisionId, choices, deadlineAt, ...rest } = event;
  return {
    ...rest,
    ...common,
    decision_id: decisionId,
    choices: choices.map(({ name, label }) => ({ name, label })),
    deadline: formatIsoTimeOrNull(deadlineAt),
  };
}
