import type { Json } from '../../lib/json/json.ts';
import type { FileStore } from '../../ports/files.ts';
import { limits } from '../../ports/limits.ts';
import { encodeEvent, parseEvents, type JournalEvent, type Stored } from './journal.ts';

/** Encodes events for the journal as JSON. Large values become files that are stored before the commit. */
export class EventEncoder {
  private text = '';
  private contents: Uint8Array[] = [];
  /** The time of the last event: the next event of the same time omits it. */
  private at = 0;
  /** Approximate bytes, for backpressure. */
  size = 0;
  count = 0;

  /**
   * Adds an event. A large value is replaced by the hash of its file. The event is serialized here, once:
   * later changes to it have no effect.
   */
  add(event: JournalEvent): void {
    let text = encodeEvent(event, this.at);
    if (text.length > limits.inlineValueBytes) text = this.withoutLarge(event, text);
    this.at = event.at;
    this.text = this.count === 0 ? `[${text}` : `${this.text},${text}`;
    this.count++;
    this.size += text.length;
  }

  /** `text` with a placeholder for the stored value, if that is what makes it long. */
  private withoutLarge(event: JournalEvent, text: string): string {
    const name = event.e === 'begin' ? 'input' : 'o';
    const stored =
      event.e === 'begin' ? event.input : event.e === 'end' || event.e === 'load' ? event.o : undefined;
    if (stored === undefined || !('v' in stored)) return text;
    // It is the last field, so its JSON can be cut out of the text.
    const rest = encodeEvent({ ...event, [name]: undefined } as JournalEvent, this.at);
    const json = text.slice(rest.length + `"${name}":{"v":`.length, -2);
    if (json.length <= limits.inlineValueBytes) return text;
    const content = toPlaceholder(this.contents.length);
    this.contents.push(Buffer.from(json));
    this.size += json.length;
    return `${rest.slice(0, -1)},"${name}":{"blob":"${content}"}}`;
  }

  /** Writes the large values to `files` and returns the text of the journal row with their hashes. */
  async store(files: FileStore): Promise<{ events: string; blobs: string[] }> {
    const blobs = await Promise.all(this.contents.map((content) => files.put(content)));
    let events = this.inline();
    blobs.forEach(
      (hash, i) => (events = events.replace(`{"blob":"${toPlaceholder(i)}"}`, `{"blob":"${hash}"}`)),
    );
    return { events, blobs };
  }

  get hasNoLargeValues(): boolean {
    return this.contents.length === 0;
  }

  inline(): string {
    return this.count === 0 ? '[]' : `${this.text}]`;
  }
}

/** Cannot occur in user data: JSON always escapes a NUL. */
function toPlaceholder(i: number): string {
  return `\u0000${i}\u0000`;
}

/** Called with the bytes that are about to be loaded into memory; may throw to refuse them. */
export type ByteCounter = (bytes: number) => void;

/** Parses the rows of a journal and loads their large values. */
export async function readEvents(
  rows: readonly { events: string }[],
  files: FileStore,
  countBytes?: ByteCounter,
): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for (const row of rows) {
    countBytes?.(row.events.length);
    for (const event of parseEvents(row.events)) {
      await loadLargeValue(event, files, countBytes);
      events.push(event);
    }
  }
  return events;
}

/**
 * Loads the large value of an event; undefined when it has none. Resolves with a function that unloads it
 * again.
 */
export function loadLargeValue(
  event: JournalEvent,
  files: FileStore,
  countBytes?: ByteCounter,
): Promise<() => void> | undefined {
  if (event.e === 'begin' && 'blob' in event.input)
    return resolve(event.input, files, countBytes).then((value) => {
      event.input = value;
      // An execution keeps its input.
      return () => {};
    });
  if ((event.e !== 'end' && event.e !== 'load') || event.o === undefined || !('blob' in event.o))
    return undefined;
  const stored = event.o;
  return resolve(stored, files, countBytes).then((value) => {
    event.o = value;
    return () => {
      event.o = stored;
    };
  });
}

async function resolve(
  stored: { blob: string },
  files: FileStore,
  countBytes?: ByteCounter,
): Promise<Stored> {
  const bytes = await files.get(stored.blob);
  if (bytes === null)
    throw new Error(`The file ${stored.blob} of the journal is missing from the file store.`);
  countBytes?.(bytes.length);
  return { v: JSON.parse(Buffer.from(bytes).toString()) as Json };
}
