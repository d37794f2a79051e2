import type { Json } from '../lib/json.ts';
import type { FileStore } from '../ports/files.ts';
import { limits } from '../ports/limits.ts';
import { eventText, parseEvents, type JournalEvent, type Stored } from './journal.ts';

/** Events as they are written: JSON texts, and the large values that go beside the database before the commit. */
export class EventEncoder {
  private text = '';
  private contents: Uint8Array[] = [];
  /** The time of the last event: the next one of the same time does not repeat it. */
  private at = 0;
  /** Bytes that wait, roughly: what backpressure counts. */
  size = 0;
  count = 0;

  get empty(): boolean {
    return this.count === 0;
  }

  /**
   * Adds an event. Its stored value stands inline, or in its place the hash of the content when it is large. It is serialised
   * here, once: what happens to it later changes nothing.
   */
  add(event: JournalEvent): void {
    let text = eventText(event, this.at);
    if (text.length > limits.inlineValue) text = this.withoutLarge(event, text);
    this.at = event.at;
    this.text = this.count === 0 ? `[${text}` : `${this.text},${text}`;
    this.count++;
    this.size += text.length;
  }

  /** `text` again, with a place for the content if it is the stored value that makes it long. */
  private withoutLarge(event: JournalEvent, text: string): string {
    const name = event.e === 'begin' ? 'input' : 'o';
    const stored = event.e === 'begin' ? event.input : event.e === 'end' ? event.o : undefined;
    if (stored === undefined || !('v' in stored)) return text;
    // It is the last field, so its JSON is cut out of what is there.
    const rest = eventText({ ...event, [name]: undefined } as JournalEvent, this.at);
    const json = text.slice(rest.length + `"${name}":{"v":`.length, -2);
    if (json.length <= limits.inlineValue) return text;
    const content = place(this.contents.length);
    this.contents.push(Buffer.from(json));
    this.size += json.length;
    return `${rest.slice(0, -1)},"${name}":{"blob":"${content}"}}`;
  }

  /** Writes the large values to `files` and gives the text of the journal row with their hashes. */
  async store(files: FileStore): Promise<{ events: string; blobs: string[] }> {
    const blobs = await Promise.all(this.contents.map((content) => files.put(content)));
    let events = this.inline();
    blobs.forEach((hash, i) => (events = events.replace(`{"blob":"${place(i)}"}`, `{"blob":"${hash}"}`)));
    return { events, blobs };
  }

  /** Whether there is nothing to write beside the database. */
  get plain(): boolean {
    return this.contents.length === 0;
  }

  inline(): string {
    return this.count === 0 ? '[]' : `${this.text}]`;
  }
}

/** Cannot come from user data: inside a JSON text a NUL is always escaped, here it stands as it is until replaced. */
function place(i: number): string {
  return `\u0000${i}\u0000`;
}

/** Told how many bytes are about to be taken into memory; may throw to refuse them. */
export type ByteCounter = (bytes: number) => void;

/** Parses the rows of a journal and brings in the large values. */
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

/** Brings in the large value of an event; undefined where it has none. What it resolves to takes the value out again. */
export function loadLargeValue(
  event: JournalEvent,
  files: FileStore,
  countBytes?: ByteCounter,
): Promise<() => void> | undefined {
  if (event.e === 'begin' && 'blob' in event.input)
    return resolve(event.input, files, countBytes).then((value) => {
      event.input = value;
      // An execution keeps what it began with.
      return () => {};
    });
  if (event.e !== 'end' || event.o === undefined || !('blob' in event.o)) return undefined;
  const place = event.o;
  return resolve(place, files, countBytes).then((value) => {
    event.o = value;
    return () => {
      event.o = place;
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
    throw new Error(`The content ${stored.blob} of the journal is missing from the file store.`);
  countBytes?.(bytes.length);
  return { v: JSON.parse(Buffer.from(bytes).toString()) as Json };
}
