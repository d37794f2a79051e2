import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Fetch } from './model-fetch.ts';

/**
 * The `fetch` for servers with OpenAI's chat completions. Some send the arguments of a tool call as a value.
 * The protocol requires their text, and the library refuses the whole response without it.
 */
export function createCompatibleFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, headers, body } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!isStream || body === null)
      return new Response(writeArgumentsAsText(await response.text(), 'message'), { status, headers });
    return new Response(
      body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
        .pipeThrough(createEventWriter())
        .pipeThrough(new TextEncoderStream()),
      { status, headers },
    );
  };
}

function createEventWriter(): TransformStream<EventSourceMessage, string> {
  return new TransformStream({
    transform: ({ data }, controller) => {
      const lines = writeArgumentsAsText(data, 'delta').split('\n');
      controller.enqueue(`${lines.map((line) => `data: ${line}\n`).join('')}\n`);
    },
  });
}

/**
 * Returns a response, or an event of a stream, with the arguments of each tool call as text. In a stream,
 * null means that they follow.
 */
function writeArgumentsAsText(text: string, part: 'message' | 'delta'): string {
  // Embeddings are large, and are not parsed here.
  if (!text.includes('"tool_calls"')) return text;
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    return text;
  }
  const wrong = listFunctions(body, part).filter(({ arguments: written }) =>
    part === 'message' ? typeof written !== 'string' : typeof (written ?? '') !== 'string',
  );
  if (wrong.length === 0) return text;
  for (const one of wrong) one['arguments'] = JSON.stringify(one['arguments'] ?? {});
  return JSON.stringify(body);
}

/** The functions that a response calls. */
function listFunctions(body: Json, part: 'message' | 'delta'): JsonObject[] {
  return listItems(body, 'choices')
    .map((choice) => (isObject(choice) ? choice[part] : undefined))
    .flatMap((message) => listItems(message, 'tool_calls'))
    .map((call) => (isObject(call) ? call['function'] : undefined))
    .filter((called) => called !== undefined && isObject(called));
}

function listItems(value: Json | undefined, name: string): readonly Json[] {
  const items = value !== undefined && isObject(value) ? value[name] : undefined;
  return Array.isArray(items) ? items : [];
}
