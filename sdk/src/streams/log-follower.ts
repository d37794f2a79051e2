import type { Execution, LogEntry } from '../generated/types.ts';
import { openReconnectingStream } from './reconnecting-stream.ts';
import type { Transport } from '../transport.ts';

export type FollowOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Limits the entries to this level. */
  readonly level?: LogEntry['level'] | undefined;
  /** Limits the entries to this node. */
  readonly node_id?: string | undefined;
  /** ms without a connection after which it fails. Default: the client's `giveUpAfter`. */
  readonly giveUpAfter?: number | undefined;
};

/**
 * Yields the log of an execution from its beginning until the execution ends; the generator's return value is
 * the final status. A stream that breaks off is reopened after the last received entry.
 * @throws {ConnectionError} after `giveUpAfter` without a connection.
 */
export async function* followLog(
  transport: Pick<Transport, 'open'>,
  id: string,
  { signal, level, node_id, giveUpAfter }: FollowOptions & { giveUpAfter: number },
): AsyncGenerator<LogEntry, Execution['status'], undefined> {
  const events = openReconnectingStream(
    transport,
    {
      method: 'GET',
      path: `/executions/${encodeURIComponent(id)}/logs`,
      query: { level, node_id },
      responseType: 'response',
    },
    { name: 'log', signal, giveUpAfter },
  );
  for await (const event of events) {
    if (event.event === 'end') return (JSON.parse(event.data) as { status: Execution['status'] }).status;
    if (event.event === 'message') yield JSON.parse(event.data) as LogEntry;
  }
  // The stream runs until an event ends it or it throws.
  throw new Error('unreachable');
}
