import { linkedSignal, pause, reasonOf } from './abort.ts';
import { backoff } from './backoff.ts';
import { ConnectionError, UnexpectedAnswerError } from './errors.ts';
import { parseEvents, mayReturn, type StreamEvent } from './event-stream.ts';
import type { OperationRequest } from './request.ts';
import type { Transport } from './transport.ts';

export type ReconnectingStreamOptions = {
  /** What is followed, as messages of errors name it. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  /** ms without a connection after which it gives up. */
  readonly giveUpAfter: number;
};

/** ms without a byte after which a stream is taken for dead; the service sends one every 15 s at least. */
const SILENCE = 45_000;

/**
 * The events of a stream that is opened again whenever it breaks off or ends, behind the last event that had an id. It never
 * ends by itself: the reader leaves when it has read what it came for.
 * @throws {ConnectionError} after `giveUpAfter` without an event; the signal's reason; what no later try would mend.
 */
export async function* reconnectingStream(
  transport: Pick<Transport, 'open'>,
  request: OperationRequest,
  { name, signal, giveUpAfter }: ReconnectingStreamOptions,
): AsyncGenerator<StreamEvent, never, undefined> {
  let lastId: string | null = null;
  let lostSince: number | null = null;
  let tries = 0;
  for (;;) {
    const link = linkedSignal(signal);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(
        () => link.abort(new ConnectionError({ message: `The ${name} went silent.` })),
        SILENCE,
      );
    };
    try {
      heard();
      const response = await transport.open(request, {
        signal: link.signal,
        headers: {
          accept: 'text/event-stream',
          ...(lastId === null ? {} : { 'last-event-id': lastId }),
        },
      });
      for await (const event of parseEvents(bodyOf(response, name), heard)) {
        if (event.id !== null) lastId = event.id;
        lostSince = null;
        tries = 0;
        // While the reader is busy with an event nothing is read, and nothing can be heard.
        clearTimeout(silence);
        yield event;
        heard();
      }
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      if (!mayReturn(error)) throw error;
    } finally {
      clearTimeout(silence);
      link.abort(new DOMException(`The ${name} is no longer read.`, 'AbortError'));
      link.free();
    }
    lostSince ??= performance.now();
    if (performance.now() - lostSince > giveUpAfter)
      throw new ConnectionError({ message: `The ${name} could not be followed for ${giveUpAfter} ms.` });
    await pause(backoff(tries++, 250, 5_000), signal);
  }
}

function bodyOf(response: Response, name: string): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type');
  if (response.body === null || type?.startsWith('text/event-stream') !== true)
    throw new UnexpectedAnswerError({
      message: `The ${name} is no stream of events.`,
      status: response.status,
    });
  return response.body;
}
