import { linkSignal, pause, getAbortReason } from '../abort.ts';
import { computeBackoff } from '../backoff.ts';
import { ConnectionError, UnexpectedResponseError } from '../errors.ts';
import { parseEvents, isRetryable, type StreamEvent } from './event-stream.ts';
import type { OperationRequest } from '../request.ts';
import type { Transport } from '../transport.ts';

export type ReconnectingStreamOptions = {
  /** The name of the stream in error messages. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  /** ms without a connection after which it fails. */
  readonly giveUpAfter: number;
};

/** ms without a byte after which a stream counts as dead; the service sends one at least every 15 s. */
const SILENCE_TIMEOUT_MS = 45_000;

/**
 * Yields the events of a stream that is reopened after the last event with an id whenever it breaks off or
 * ends. The generator never returns: the reader stops when it has what it needs.
 * @throws {ConnectionError} after `giveUpAfter` without an event; the signal's reason; any error that is not
 * retryable.
 */
export async function* openReconnectingStream(
  transport: Pick<Transport, 'open'>,
  request: OperationRequest,
  { name, signal, giveUpAfter }: ReconnectingStreamOptions,
): AsyncGenerator<StreamEvent, never, undefined> {
  let lastId: string | null = null;
  let lostSince: number | null = null;
  let tries = 0;
  for (;;) {
    const link = linkSignal(signal);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const received = (): void => {
      clearTimeout(silence);
      silence = setTimeout(
        () => link.abort(new ConnectionError({ message: `The ${name} went silent.` })),
        SILENCE_TIMEOUT_MS,
      );
    };
    try {
      received();
      const response = await transport.open(request, {
        signal: link.signal,
        headers: {
          accept: 'text/event-stream',
          ...(lastId === null ? {} : { 'last-event-id': lastId }),
        },
      });
      for await (const event of parseEvents(requireEventStream(response, name), received)) {
        if (event.id !== null) lastId = event.id;
        lostSince = null;
        tries = 0;
        // While the reader processes an event, nothing is read, so the silence does not count.
        clearTimeout(silence);
        yield event;
        received();
      }
    } catch (error) {
      if (signal?.aborted === true) throw getAbortReason(signal);
      if (!isRetryable(error)) throw error;
    } finally {
      clearTimeout(silence);
      link.abort(new DOMException(`The ${name} is no longer read.`, 'AbortError'));
      link.free();
    }
    lostSince ??= performance.now();
    if (performance.now() - lostSince > giveUpAfter)
      throw new ConnectionError({ message: `The ${name} could not be followed for ${giveUpAfter} ms.` });
    await pause(computeBackoff(tries++, 250, 5_000), signal);
  }
}

function requireEventStream(response: Response, name: string): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type');
  if (response.body === null || type?.startsWith('text/event-stream') !== true)
    throw new UnexpectedResponseError({
      message: `The ${name} is no stream of events.`,
      status: response.status,
    });
  return response.body;
}
