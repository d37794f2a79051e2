import type { StreamEvent } from '../generated/types.ts';
import { openReconnectingStream } from './reconnecting-stream.ts';
import type { FollowOptions } from './log-follower.ts';
import type { Transport } from '../transport.ts';

export type StreamOptions = Pick<FollowOptions, 'signal' | 'giveUpAfter'>;

/**
 * Yields the events of an execution from its beginning; the last one is `done`. A stream that breaks off is
 * reopened after the last received event.
 * @throws {ConnectionError} after `giveUpAfter` without a connection.
 */
export async function* streamExecution(
  transport: Pick<Transport, 'open'>,
  id: string,
  { signal, giveUpAfter }: StreamOptions & { giveUpAfter: number },
): AsyncGenerator<StreamEvent, void, undefined> {
  const events = openReconnectingStream(
    transport,
    { method: 'GET', path: `/executions/${encodeURIComponent(id)}/stream`, responseType: 'response' },
    { name: 'stream', signal, giveUpAfter },
  );
  for await (const { data } of events) {
    const event = JSON.parse(data) as StreamEvent;
    yield event;
    if (event.type === 'done') return;
  }
}
