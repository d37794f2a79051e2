import { randomUUID } from 'node:crypto';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { formatTextPath, type LiveText, type LiveTexts } from '../ports/live-texts.ts';

/** Length of a text after which its rest is not passed on before the node run completes. */
const MAX_TEXT_LENGTH = 256 * 1024;
/** Texts of one node run, which are its text, its reasoning and the arguments of its tool calls. */
const MAX_TEXTS = 18;
/** How long a process sends the texts of an execution to others after one of them asked, ms. */
const INTEREST_MS = 30_000;
/** How often a process that follows an execution asks, ms. */
const RENEWAL_MS = 10_000;

type OpenText = { textId: string; text: string };
type Receive = (piece: LiveText) => void;

/**
 * Passes texts on within a process, and over the bus between processes. A process that follows an execution
 * asks for its texts; those that write them then send them as far as they are written, and each new piece
 * while it asks.
 */
export function createLiveTexts(bus: Bus, clock: Clock): LiveTexts {
  /** By execution and path. */
  const texts = new Map<string, Map<string, OpenText>>();
  const followers = new Map<string, Set<Receive>>();
  const wantedUntil = new Map<string, number>();

  function deliver(executionId: string, piece: LiveText): void {
    for (const receive of followers.get(executionId) ?? []) receive(piece);
  }
  const listPieces = (executionId: string): LiveText[] =>
    [...(texts.get(executionId) ?? [])].map(([path, { textId, text }]) => ({
      path,
      textId,
      offset: 0,
      text,
    }));

  bus.subscribe('texts_wanted', ({ executionId }) => {
    const now = clock.now();
    // Also before this process writes a text of the execution. In order of time: the first ones are over.
    wantedUntil.delete(executionId);
    wantedUntil.set(executionId, now + INTEREST_MS);
    for (const [id, until] of wantedUntil) {
      if (until > now) break;
      wantedUntil.delete(id);
    }
    for (const piece of listPieces(executionId)) bus.publish('text', { executionId, ...piece });
  });
  bus.subscribe('text', ({ executionId, ...piece }) => deliver(executionId, piece));

  return {
    open(executionId, path) {
      /** By path of the text; null: its rest is not passed on. */
      const own = new Map<string, OpenText | null>();
      const clear = (): void => {
        const all = texts.get(executionId);
        for (const textPath of own.keys()) all?.delete(textPath);
        if (all?.size === 0) texts.delete(executionId);
        own.clear();
      };
      const add = (textPath: string): OpenText | null => {
        if (own.size >= MAX_TEXTS) return null;
        const added = { textId: randomUUID(), text: '' };
        own.set(textPath, added);
        const all = texts.get(executionId) ?? new Map<string, OpenText>();
        texts.set(executionId, all.set(textPath, added));
        return added;
      };
      return {
        begin: clear,
        write(part, text) {
          const textPath = formatTextPath(path, part);
          const known = own.get(textPath);
          const open = known === undefined ? add(textPath) : known;
          if (open === null) return;
          if (open.text.length + text.length > MAX_TEXT_LENGTH) {
            own.set(textPath, null);
            return;
          }
          const piece = { path: textPath, textId: open.textId, offset: open.text.length, text };
          open.text += text;
          deliver(executionId, piece);
          if ((wantedUntil.get(executionId) ?? 0) > clock.now())
            bus.publish('text', { executionId, ...piece });
        },
        close: clear,
      };
    },

    follow(executionId, receive) {
      const all = followers.get(executionId) ?? new Set();
      followers.set(executionId, all);
      all.add(receive);
      for (const piece of listPieces(executionId)) receive(piece);
      let cancel = (): void => {};
      const ask = (): void => {
        bus.publish('texts_wanted', { executionId });
        cancel = clock.after(RENEWAL_MS, ask);
      };
      ask();
      return () => {
        cancel();
        all.delete(receive);
        if (all.size === 0 && followers.get(executionId) === all) followers.delete(executionId);
      };
    },
  };
}
