/**
 * Whether a call is given up, and why. It says what an AbortSignal says, to one listener at a time: making a signal and listening to
 * it costs as much as a tenth of a small request.
 */
export class Cancellation {
  reason: unknown = undefined;
  isOver = false;
  #listener: (() => void) | null = null;

  /** From now on; the first reason counts. */
  now(reason: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reason = reason;
    this.#listener?.();
  }

  /** In place of whoever listened before; null: nobody. */
  listen(listener: (() => void) | null): void {
    this.#listener = listener;
  }
}
