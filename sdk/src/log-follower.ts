import type { Execution, LogEntry } from './generated/types.ts';
import { reconnectingStream } from './reconnecting-stream.ts';
import type { Transport } from './transport.ts';

export type FollowOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Only entries of this level. */
  readonly level?: LogEntry['level'] | undefined;
  /** Only entries of this node. */
  readonly node_id?: string | undefined;
  /** ms without a connection after which it gives up; that of the client, unless given. */
  readonly giveUpAfter?: number | undefined;
};

/**
 * The log of an execution from its beginning, and what is added, until the execution has ended; the generator's return value is
 * the status it ended with. A stream that breaks off is opened again behind the last entry that arrived.
 * @throws {ConnectionError} after `giveUpAfter` without a connection.
 */
export async function* followLog(
  transport: Pick<Transport, 'open'>,
  id: string,
  { signal, level, node_id, giveUpAfter }: FollowOptions & { giveUpAfter: number },
): AsyncGenerator<LogEntry, Execution['status'], undefined> {
  const events = reconnectingStream(
    transport,
    {
      method: 'GET',
      path: `/executions/${encodeURIComponent(id)}/logs`,
      query: { level, node_id },
      answer: 'response',
    },
    { name: 'log', signal, giveUpAfter },
  );
  for await (const event of events) {
    if (event.event === 'end') return (JSON.parse(event.data) as { status: Execution['status'] }).status;
    if (event.event === 'message') yield JSON.parse(event.data) as LogEntry;
  }
  // It lasts until an event is the end, or throws.
  throw new Error('unreachable');
}
