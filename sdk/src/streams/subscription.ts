import { GraphqlError, type GraphqlResponseError } from '../graphql.ts';
import { openReconnectingStream } from './reconnecting-stream.ts';
import type { Transport } from '../transport.ts';

export type SubscribeOptions = {
  readonly signal?: AbortSignal | undefined;
  /** ms without a connection after which it fails. Default: the client's `giveUpAfter`. */
  readonly giveUpAfter?: number | undefined;
};

/** Yields the results of a GraphQL subscription over server-sent events, and reconnects. */
export async function* followSubscription<Data>(
  transport: Pick<Transport, 'open'>,
  operation: { query: string; variables: object | undefined },
  { signal, giveUpAfter }: SubscribeOptions & { giveUpAfter: number },
): AsyncGenerator<Data, void, undefined> {
  const events = openReconnectingStream(
    transport,
    { method: 'POST', path: '/graphql', body: operation, responseType: 'response' },
    { name: 'subscription', signal, giveUpAfter },
  );
  for await (const event of events) {
    if (event.event === 'complete') return;
    if (event.event !== 'next') continue;
    const { data, errors } = JSON.parse(event.data) as {
      data?: Data;
      errors?: readonly GraphqlResponseError[];
    };
    if (errors !== undefined && errors.length > 0) throw new GraphqlError(errors, data);
    if (data !== undefined && data !== null) yield data;
  }
}
