import { linkedSignal, pause, reasonOf } from './abort.ts';
import { backoff } from './backoff.ts';
import { ConnectionError, UnexpectedAnswerError } from './errors.ts';
import { eventsOf, mayReturn } from './event-stream.ts';
import { GraphqlError, type GraphqlFault } from './graphql.ts';
import type { Transport } from './transport.ts';

export type SubscribeOptions = {
  readonly signal?: AbortSignal | undefined;
  /** ms without a connection after which it gives up; that of the client, unless given. */
  readonly giveUpAfter?: number | undefined;
};

/** ms without a byte after which a stream is taken for dead; the service sends one every 15 s at least. */
const SILENCE = 45_000;

/** The answers of one GraphQL subscription over server-sent events; opened again when the stream breaks off. */
export async function* followSubscription<Data>(
  transport: Pick<Transport, 'open'>,
  operation: { query: string; variables: object | undefined },
  { signal, giveUpAfter = 60_000 }: SubscribeOptions,
): AsyncGenerator<Data, void, undefined> {
  let lostSince: number | null = null;
  let tries = 0;
  for (;;) {
    const link = linkedSignal(signal);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        link.abort(new ConnectionError({ message: 'The subscription went silent.' }));
      }, SILENCE);
    };
    try {
      heard();
      const response = await transport.open(
        { method: 'POST', path: '/graphql', body: operation, answer: 'response' },
        { signal: link.signal, headers: { accept: 'text/event-stream' } },
      );
      if (
        response.body === null ||
        response.headers.get('content-type')?.startsWith('text/event-stream') !== true
      ) {
        throw new UnexpectedAnswerError({
          message: 'The subscription is no stream of events.',
          status: response.status,
        });
      }
      for await (const event of eventsOf(response.body, heard)) {
        lostSince = null;
        tries = 0;
        if (event.event === 'complete') return;
        if (event.event !== 'next') continue;
        const { data, errors } = JSON.parse(event.data) as { data?: Data; errors?: readonly GraphqlFault[] };
        if (errors !== undefined && errors.length > 0) throw new GraphqlError(errors, data);
        if (data === undefined || data === null) continue;
        // While the reader is busy nothing is read, and nothing can be heard.
        clearTimeout(silence);
        yield data;
        heard();
      }
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      if (error instanceof GraphqlError || !mayReturn(error)) throw error;
    } finally {
      clearTimeout(silence);
      link.abort(new DOMException('The subscription is no longer read.', 'AbortError'));
      link.free();
    }
    lostSince ??= performance.now();
    if (performance.now() - lostSince > giveUpAfter)
      throw new ConnectionError({
        message: `The subscription could not be followed for ${giveUpAfter} ms.`,
      });
    await pause(backoff(tries++, 250, 5_000), signal);
  }
}
