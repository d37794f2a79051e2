import type { Reservation } from '../../lib/limits/memory-budget.ts';
import { LARGE_RESPONSE_BYTES } from '../http/send-request.ts';

/**
 * Passes a body on and reserves memory for it: its messages are kept until the call ends. A body of more than
 * 1 MiB waits until there is memory for `maxBytes`.
 */
export async function* meterStream(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  reservation: Reservation,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  let hasAsked = false;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > LARGE_RESPONSE_BYTES && !hasAsked) {
        hasAsked = true;
        await new Promise<void>((resolve) => {
          if (reservation.ask(maxBytes, resolve)) resolve();
        });
      }
      yield chunk;
    }
  } finally {
    if (hasAsked) reservation.settle(bytes);
  }
}
