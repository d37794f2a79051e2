/** Backpressure limits: above this number of buffered bytes or chunks, the sender is paused. */
const MAX_BYTES = 256 * 1024;
const MAX_CHUNKS = 1_000;

export type BodyFlow = { pause(): void; resume(): void; cancel(): void };

/** A response body as it arrives, for one reader, with backpressure. */
export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly #flow: BodyFlow;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isPaused = false;
  #end: { error: unknown } | null = null;
  #wake = (): void => {};

  constructor(flow: BodyFlow) {
    this.#flow = flow;
  }

  push(piece: Buffer): void {
    if (this.#end !== null || piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (!this.#isPaused && (this.#bytes > MAX_BYTES || this.#pieces.length > MAX_CHUNKS)) {
      this.#isPaused = true;
      this.#flow.pause();
    }
    this.#wake();
  }

  /** Ends the stream. `error` null: the body is complete. Buffered data is discarded on an error. */
  end(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** Cancels the rest of the body. */
  cancel(): void {
    if (this.#end === null) this.#flow.cancel();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        if (this.#end !== null && this.#end.error !== null) throw this.#end.error;
        const taken = this.#pieces;
        this.#pieces = [];
        this.#bytes = 0;
        for (const piece of taken) yield piece;
        if (taken.length > 0) {
          if (this.#isPaused) {
            this.#isPaused = false;
            this.#flow.resume();
          }
          continue;
        }
        if (this.#end !== null) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      // A reader that stops early does not need the rest.
      this.cancel();
    }
  }
}
