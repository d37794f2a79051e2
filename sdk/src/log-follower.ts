import { linkedSignal, pause, reasonOf } from './abort.ts';
import { backoff } from './backoff.ts';
import { ConnectionError, UnexpectedAnswerError } from './errors.ts';
import { eventsOf, mayReturn } from './event-stream.ts';
import type { Execution, LogEntry } from './generated/types.ts';
import type { Transport } from './transport.ts';

export type FollowOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Only entries of this level. */
  readonly level?: LogEntry['level'] | undefined;
  /** Only entries of this node. */
  readonly node_id?: string | undefined;
  /** ms without a connection after which it gives up; a minute, unless given. */
  readonly giveUpAfter?: number | undefined;
};

/** ms without a byte after which a stream is taken for dead; the service sends one every 15 s at least. */
const SILENCE = 45_000;

/**
 * The log of an execution from its beginning, and what is added, until the execution has ended; the generator's return value is
 * the status it ended with. A stream that breaks off is opened again behind the last entry that arrived.
 * @throws {ConnectionError} after `giveUpAfter` without a connection.
 */
export async function* followLog(
  transport: Pick<Transport, 'open'>,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<LogEntry, Execution['status'], undefined> {
  const { signal, level, node_id, giveUpAfter = 60_000 } = options;
  let lastId: string | null = null;
  let lostSince: number | null = null;
  let tries = 0;
  for (;;) {
    const link = linkedSignal(signal);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        link.abort(new ConnectionError({ message: 'The log went silent.' }));
      }, SILENCE);
    };
    try {
      heard();
      const response = await transport.open(
        {
          method: 'GET',
          path: `/executions/${encodeURIComponent(id)}/logs`,
          query: { level, node_id },
          answer: 'response',
        },
        {
          signal: link.signal,
          headers: {
            accept: 'text/event-stream',
            ...(lastId === null ? {} : { 'last-event-id': lastId }),
          },
        },
      );
      if (
        response.body === null ||
        response.headers.get('content-type')?.startsWith('text/event-stream') !== true
      ) {
        throw new UnexpectedAnswerError({
          message: 'The log is no stream of events.',
          status: response.status,
        });
      }
      for await (const event of eventsOf(response.body, heard)) {
        if (event.id !== null) lastId = event.id;
        lostSince = null;
        tries = 0;
        if (event.event === 'end') return (JSON.parse(event.data) as { status: Execution['status'] }).status;
        if (event.event === 'message') {
          // While the reader is busy with an entry nothing is read, and nothing can be heard.
          clearTimeout(silence);
          yield JSON.parse(event.data) as LogEntry;
          heard();
        }
      }
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      if (!mayReturn(error)) throw error;
    } finally {
      clearTimeout(silence);
      link.abort(new DOMException('The log is no longer read.', 'AbortError'));
      link.free();
    }
    lostSince ??= performance.now();
    if (performance.now() - lostSince > giveUpAfter) {
      throw new ConnectionError({ message: `The log could not be followed for ${giveUpAfter} ms.` });
    }
    await pause(backoff(tries++, 250, 5_000), signal);
  }
}
