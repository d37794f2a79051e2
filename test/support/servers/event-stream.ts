import { expect } from 'vitest';

/** A server-sent event. `data` is parsed as JSON. */
export type StreamedEvent = { id: string | null; event: string | null; data: unknown };

/** Reads server-sent events to the end of the stream, or until `enough`. */
export async function readEvents(
  url: string,
  options: {
    headers: Record<string, string>;
    /** Sent by POST. Without one, the request is a GET. */
    body?: string;
    enough?: (events: StreamedEvent[]) => boolean;
  },
): Promise<StreamedEvent[]> {
  const { headers, body, enough = () => false } = options;
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events: StreamedEvent[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string): string | null =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
      const data = field('data');
      if (data !== null) events.push({ id: field('id'), event: field('event'), data: JSON.parse(data) });
    }
    // Leaving the loop closes the connection.
    if (enough(events)) break;
  }
  return events;
}
