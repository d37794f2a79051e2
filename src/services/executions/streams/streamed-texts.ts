import { createHash, type Hash } from 'node:crypto';
import type { LivePart } from '../../../contract/ai/models.ts';
import { formatTextPath, parseTextPath, type LiveText } from '../../../ports/live-texts.ts';
import type { JsonRedactor } from '../../credentials/redaction.ts';
import { GrowingRedaction } from './growing-redaction.ts';

/** Number of node runs of one execution whose texts are sent while they are written. */
const MAX_RUNS = 8;
/** Tool calls of one node run whose arguments are sent while they are written. */
const MAX_CALLS = 16;
/** Parts of the response of every node run. */
const OWN_PARTS: readonly LivePart[] = [{ kind: 'text' }, { kind: 'reasoning' }];
const DIGEST_LENGTH = 16;
/** Pieces may divide a character of two code units. */
const ENCODING = 'utf16le';

/** What a client has of a text that was not complete when it disconnected. `path` is that of the text. */
export type PartialText = { readonly path: string; readonly length: number; readonly digest: string };

export type TextEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool_arguments';
      readonly call_id: string;
      readonly tool: string;
      readonly text: string;
    }
  /** `of`: the type of the events whose text begins anew; `call_id` null: not that of a tool call. */
  | { readonly type: 'reset'; readonly of: LivePart['kind']; readonly call_id: string | null };
type StreamedNode = { readonly id: string; readonly path: string };
type Send = (node: StreamedNode, event: TextEvent) => void;

/** `sent` is what the client has, with secrets redacted. */
type OpenText = {
  node: StreamedNode;
  part: LivePart;
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
  /** The node runs that have started and not ended, by path. */
  readonly #runs = new Map<string, StreamedNode>();
  /** Pieces that arrived before the start of their node run was read from the journal. */
  readonly #early = new Map<string, LiveText[]>();

  constructor(partial: readonly PartialText[], redact: JsonRedactor, send: Send) {
    this.#partial = new Map(partial.map((one) => [one.path, one]));
    this.#redact = redact;
    this.#send = send;
  }

  /** What the client has of texts that are not complete. */
  get partial(): PartialText[] {
    const open = [...this.#open].flatMap(([path, { sent, hash, partial }]) => {
      if (partial !== null) return [partial];
      return sent === '' ? [] : [{ path, length: sent.length, digest: formatDigest(hash) }];
    });
    return [...open, ...this.#partial.values()];
  }

  start(node: StreamedNode): void {
    const { path } = node;
    const early = this.#early.get(path) ?? [];
    this.#early.delete(path);
    if (!this.#runs.has(path)) {
      if (this.#runs.size >= MAX_RUNS) return;
      this.#runs.set(path, node);
      for (const part of OWN_PARTS) this.#begin(node, part);
    }
    for (const piece of early) this.receive(piece);
  }

  #begin(node: StreamedNode, part: LivePart): OpenText {
    const path = formatTextPath(node.path, part);
    const text: OpenText = {
      node,
      part,
      textId: null,
      received: 0,
      redaction: new GrowingRedaction(this.#redact),
      isCurrent: false,
      sent: '',
      hash: createHash('sha256'),
      partial: this.#partial.get(path) ?? null,
    };
    this.#partial.delete(path);
    this.#open.set(path, text);
    return text;
  }

  /** The text of a tool call is known with its first piece. */
  #beginCall(piece: LiveText): OpenText | undefined {
    const { path, part } = parseTextPath(piece.path);
    const node = this.#runs.get(path);
    if (node === undefined || part.kind !== 'tool_arguments') return undefined;
    const calls = this.#listOpen(node).filter((one) => one.part.kind === 'tool_arguments');
    return calls.length >= MAX_CALLS ? undefined : this.#begin(node, part);
  }

  #listOpen(node: StreamedNode): OpenText[] {
    return [...this.#open.values()].filter((one) => one.node.path === node.path);
  }

  receive(piece: LiveText): void {
    const text = this.#open.get(piece.path) ?? this.#beginCall(piece);
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
   * Sends the rest of a part of a completed response, with secrets redacted. `beforeLast` is called before
   * the last event: a client that received only a reset still needs the text.
   */
  complete(
    node: StreamedNode,
    kind: 'text' | 'reasoning',
    whole: string,
    beforeLast: () => void = () => {},
  ): void {
    const path = formatTextPath(node.path, { kind });
    const text = this.#open.get(path);
    this.#open.delete(path);
    if (text !== undefined) this.#compare(text, whole);
    const rest = whole.slice(text?.sent.length ?? 0);
    beforeLast();
    if (rest !== '') this.#send(node, { type: kind, text: rest });
  }

  /** The response is complete. The journal has no further text, and the whole arguments of tools. */
  end(node: StreamedNode): void {
    for (const { kind } of OWN_PARTS)
      if (kind !== 'tool_arguments' && this.#open.has(formatTextPath(node.path, { kind })))
        this.complete(node, kind, '');
    for (const text of this.#listOpen(node)) if (text.textId !== null) this.#show(text, text.redaction.whole);
    this.forget(node);
  }

  /** An attempt failed. */
  discard(node: StreamedNode, isFinal: boolean): void {
    for (const text of this.#listOpen(node)) if (text.sent !== '' || text.partial !== null) this.#reset(text);
    if (isFinal) this.forget(node);
  }

  /** A part was complete before the client disconnected. */
  forgetPart({ path }: StreamedNode, kind: 'text' | 'reasoning'): void {
    this.#open.delete(formatTextPath(path, { kind }));
  }

  /** The node run ended. */
  forget(node: StreamedNode): void {
    const { path } = node;
    this.#runs.delete(path);
    this.#early.delete(path);
    for (const texts of [this.#open, this.#partial])
      for (const textPath of texts.keys()) if (parseTextPath(textPath).path === path) texts.delete(textPath);
  }

  #show(text: OpenText, shown: string): void {
    this.#compare(text, shown);
    this.#add(text, shown.slice(text.sent.length));
  }

  #add(text: OpenText, rest: string): void {
    if (rest === '') return;
    text.sent += rest;
    text.hash.update(rest, ENCODING);
    this.#send(text.node, createTextEvent(text.part, rest));
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
    const { part } = text;
    const callId = part.kind === 'tool_arguments' ? part.callId : null;
    this.#send(text.node, { type: 'reset', of: part.kind, call_id: callId });
  }

  #keepEarly(piece: LiveText): void {
    const { path } = parseTextPath(piece.path);
    if (this.#runs.has(path)) return;
    const known = this.#early.get(path) ?? [];
    // A text that is sent again from its beginning replaces what was kept of it.
    const others = known.filter((one) => one.path !== piece.path);
    const same = known.filter((one) => one.path === piece.path);
    const isNew = piece.offset === 0 || piece.textId !== same[0]?.textId;
    this.#early.set(path, isNew ? others.concat(piece) : known.concat(piece));
    if (this.#early.size > MAX_RUNS) this.#early.delete(this.#early.keys().next().value ?? '');
  }
}

function createTextEvent(part: LivePart, text: string): TextEvent {
  return part.kind === 'tool_arguments'
    ? { type: part.kind, call_id: part.callId, tool: part.tool, text }
    : { type: part.kind, text };
}

const formatDigest = (hash: Hash): string => hash.copy().digest('hex').slice(0, DIGEST_LENGTH);
