import { isoOrNull, isoTime } from '../../lib/time/iso-time.ts';
import type { StreamedEvent } from '../../services/executions/streams/execution-streams.ts';

/** The data of an event of the stream of an execution. */
export function presentStreamEvent({ at, node, event }: StreamedEvent) {
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
