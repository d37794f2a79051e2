import { createHash, type Hash } from 'node:crypto';
import type { LiveText } from '../../../ports/live-texts.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';
import { GrowingRedaction } from './growing-redaction.ts';

/** Number of node runs of one execution whose texts are sent while they are written. */
const MAX_TEXTS = 8;
const DIGEST_LENGTH = 16;
/** Pieces may divide a character of two code units. */
const ENCODING = 'utf16le';

/** What a client has of a text that was not complete when it disconnected. */
export type PartialText = { readonly path: string; readonly length: number; readonly digest: string };

export type TextEvent = { readonly type: 'text'; readonly text: string } | { readonly type: 'reset' };
type StreamedNode = { readonly id: string; readonly path: string };
type Send = (node: StreamedNode, event: TextEvent) => void;

/** `sent` is what the client has, with secrets redacted. */
type OpenText = {
  node: StreamedNode;
  textId: string | null;
  /** Length of the text as the model wrote it. */
  received: number;
  redaction: GrowingRedaction;
  /** Whether `sent` is the text of `redaction` before its next piece. */
  isCurrent: boolean;
  sent: string;
  hash: Hash;
  /** What the client has from an earlier connection, until it was compared. */
  partial: PartialText | null;
};

/**
 * The texts that node runs of one execution write, for clients that have the same of them. Pieces arrive
 * while a run writes; the whole text follows from the journal. Both are sent as one text: if one does not
 * continue what the clients have, the text is sent again after a reset.
 */
export class StreamedTexts {
  readonly #redact: JsonRedactor;
  readonly #send: Send;
  /** What the client has of texts whose start was not read from the journal yet. */
  readonly #partial: Map<string, PartialText>;
  readonly #open = new Map<string, OpenText>();
  /** Pieces that arrived before the start of their node run was read from the journal. */
  readonly #early = new Map<string, LiveText[]>();

  constructor(partial: readonly PartialText[], redact: JsonRedactor, send: Send) {
    this.#partial = new Map(partial.map((one) => [one.path, one]));
    this.#redact = redact;
    this.#send = send;
  }

  /** What the client has of texts that are not complete. */
  get partial(): PartialText[] {
    const open = [...this.#open.values()].flatMap(({ node, sent, hash, partial }) => {
      if (partial !== null) return [partial];
      return sent === '' ? [] : [{ path: node.path, length: sent.length, digest: formatDigest(hash) }];
    });
    return [...open, ...this.#partial.values()];
  }

  start(node: StreamedNode): void {
    const { path } = node;
    const early = this.#early.get(path) ?? [];
    this.#early.delete(path);
    if (!this.#open.has(path)) {
      if (this.#open.size >= MAX_TEXTS) return;
      const partial = this.#partial.get(path) ?? null;
      this.#partial.delete(path);
      this.#open.set(path, {
        node,
        textId: null,
        received: 0,
        redaction: new GrowingRedaction(this.#redact),
        isCurrent: false,
        sent: '',
        hash: createHash('sha256'),
        partial,
      });
    }
    for (const piece of early) this.receive(piece);
  }

  receive(piece: LiveText): void {
    const text = this.#open.get(piece.path);
    if (text === undefined) return this.#keepEarly(piece);
    if (piece.textId !== text.textId) {
      // The beginning was missed. The journal will have the whole text.
      if (piece.offset > 0) return;
      text.textId = piece.textId;
      text.received = 0;
      text.redaction = new GrowingRedaction(this.#redact);
      text.isCurrent = false;
    }
    const known = text.received - piece.offset;
    if (known < 0 || known >= piece.text.length) return;
    const rest = piece.text.slice(known);
    text.received += rest.length;
    const added = text.redaction.append(rest);
    if (text.isCurrent && added !== null) this.#add(text, added);
    else this.#show(text, text.redaction.shown);
    text.isCurrent = true;
  }

  /** Whether `others` are the same texts, as far as they were sent or further. */
  isContinuedBy(others: StreamedTexts): boolean {
    if (this.#partial.size > 0 || others.#partial.size > 0) return false;
    if (this.#open.size !== others.#open.size) return false;
    return [...this.#open].every(([path, text]) => {
      const other = others.#open.get(path);
      return (
        other !== undefined &&
        text.partial === null &&
        other.partial === null &&
        other.sent.startsWith(text.sent)
      );
    });
  }

  /** Sends what `others`, which continue these texts, have in addition. */
  continueTo(others: StreamedTexts): void {
    for (const [path, text] of this.#open)
      this.#add(text, (others.#open.get(path)?.sent ?? '').slice(text.sent.length));
  }

  /**
   * Sends the rest of the text of a completed node run, with secrets redacted. `beforeLast` is called before
   * the last event: a client that received only a reset still needs the text.
   */
  complete(node: StreamedNode, whole: string, beforeLast: () => void): void {
    const text = this.#open.get(node.path);
    this.forget(node);
    if (text !== undefined) this.#compare(text, whole);
    const rest = whole.slice(text?.sent.length ?? 0);
    beforeLast();
    if (rest !== '') this.#send(node, { type: 'text', text: rest });
  }

  /** An attempt failed. */
  discard(node: StreamedNode, isFinal: boolean): void {
    const text = this.#open.get(node.path);
    if (text === undefined) return;
    if (isFinal) this.#open.delete(node.path);
    if (text.sent !== '' || text.partial !== null) this.#reset(text);
  }

  /** The node run ended before the client disconnected. */
  forget({ path }: StreamedNode): void {
    this.#open.delete(path);
    this.#early.delete(path);
  }

  #show(text: OpenText, shown: string): void {
    this.#compare(text, shown);
    this.#add(text, shown.slice(text.sent.length));
  }

  #add(text: OpenText, rest: string): void {
    if (rest === '') return;
    text.sent += rest;
    text.hash.update(rest, ENCODING);
    this.#send(text.node, { type: 'text', text: rest });
  }

  /** Sends a reset unless the text continues what the client has. */
  #compare(text: OpenText, shown: string): void {
    const { partial } = text;
    if (partial === null) {
      if (!shown.startsWith(text.sent)) this.#reset(text);
      return;
    }
    const sent = shown.slice(0, partial.length);
    const hash = createHash('sha256').update(sent, ENCODING);
    if (sent.length === partial.length && formatDigest(hash) === partial.digest)
      Object.assign(text, { sent, hash, partial: null });
    else this.#reset(text);
  }

  #reset(text: OpenText): void {
    Object.assign(text, { sent: '', isCurrent: false, hash: createHash('sha256'), partial: null });
    this.#send(text.node, { type: 'reset' });
  }

  #keepEarly(piece: LiveText): void {
    const known = this.#early.get(piece.path) ?? [];
    // A text that is sent again from its beginning replaces what was kept.
    const isNew = piece.offset === 0 || piece.textId !== known[0]?.textId;
    this.#early.set(piece.path, isNew ? [piece] : [...known, piece]);
    if (this.#early.size > MAX_TEXTS) this.#early.delete(this.#early.keys().next().value ?? '');
  }
}

const formatDigest = (hash: Hash): string => hash.copy().digest('hex').slice(0, DIGEST_LENGTH);
