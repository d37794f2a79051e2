import { MIN_REDACTED_LENGTH, REDACTED } from '../../../lib/text/redact.ts';
import { ELLIPSIS } from '../../../lib/text/truncate.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';

/** Characters that are redacted again with each piece, besides those that a secret can have. */
const WINDOW_LENGTH = 512;

/**
 * Redacts a text that arrives in pieces. Its end is held back while it may be the beginning of a secret. Only
 * the end that later pieces can change is redacted again.
 */
export class GrowingRedaction {
  readonly #redact: JsonRedactor;
  /** The redacted beginning that does not change. */
  #settled = '';
  /** The rest as it was received, and redacted. */
  #rest = '';
  #open = '';

  constructor(redact: JsonRedactor) {
    this.#redact = redact;
  }

  /** The redacted text so far. */
  get shown(): string {
    return this.#settled + this.#open;
  }

  /** The redacted text, if no piece follows. */
  get whole(): string {
    return this.#settled + this.#redact(this.#rest);
  }

  /** Returns what the piece adds to the redacted text; null if it also changes what was shown. */
  append(piece: string): string | null {
    const before = this.#open;
    this.#rest += piece;
    this.#open = this.#redactOpen(this.#rest);
    const added = this.#open.startsWith(before) ? this.#open.slice(before.length) : null;
    this.#settle();
    return added;
  }

  #settle(): void {
    const kept = Math.max(this.#redact.maxLength, MIN_REDACTED_LENGTH);
    if (this.#rest.length < 2 * kept + WINDOW_LENGTH) return;
    const split = this.#rest.length - kept;
    const shown = this.#redact(this.#rest.slice(0, split));
    // A secret at the split is redacted in the whole only. The next piece moves the split.
    const rest = this.#rest.slice(split);
    if (shown + this.#redact(rest) !== this.#redact(this.#rest)) return;
    if (!this.#open.startsWith(shown)) return;
    this.#settled += shown;
    this.#rest = rest;
    this.#open = this.#open.slice(shown.length);
  }

  #redactOpen(received: string): string {
    const shown = this.#redact(received + ELLIPSIS);
    const cut = `${REDACTED}${ELLIPSIS}`;
    return shown.endsWith(cut)
      ? shown.slice(0, -cut.length)
      : shown.slice(0, -(ELLIPSIS.length + MIN_REDACTED_LENGTH - 1));
  }
}
