import { isTemporary } from '../errors.ts';

/** One server-sent event. */
export type StreamEvent = { readonly event: string; readonly data: string; readonly id: string | null };

/** The maximum length of one event in characters. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

/**
 * Yields the events of a body as the standard defines them: comments are dropped, multiple `data` lines are
 * joined. `onBytes` is called for every chunk, including comments. @throws what reading the body throws.
 */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let event = '';
  let data: string[] = [];
  let id: string | null = null;
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      text += decoder.decode(value, { stream: true });
      if (text.length + size > MAX_EVENT_LENGTH)
        throw new RangeError(`An event is larger than ${MAX_EVENT_LENGTH} characters.`);
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { event: event === '' ? 'message' : event, data: data.join('\n'), id };
          event = '';
          data = [];
          size = 0;
          continue;
        }
        size += line.length;
        const colon = line.indexOf(':');
        const name = colon < 0 ? line : line.slice(0, colon);
        const content = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (name === 'data') data.push(content);
        else if (name === 'event') event = content;
        else if (name === 'id' && !content.includes('\0')) id = content;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * Whether a retry may succeed; a stream that breaks off throws an error of the platform, which is retryable.
 */
export function isRetryable(error: unknown): boolean {
  return (
    isTemporary(error) ||
    error instanceof TypeError ||
    (error as { name?: unknown } | null)?.name === 'AbortError'
  );
}
