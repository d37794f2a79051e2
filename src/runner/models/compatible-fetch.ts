import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Fetch } from './model-fetch.ts';

/**
 * The `fetch` for servers with OpenAI's chat completions. Some send the arguments of a tool call as a value.
 * The protocol requires their text, and the library refuses the whole response without it.
 */
export function createCompatibleFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) return response;
    const { status, headers } = response;
    return new Response(writeArgumentsAsText(await response.text()), { status, headers });
  };
}

/** Returns the body of a response with the arguments of each tool call as text. */
function writeArgumentsAsText(text: string): string {
  // Embeddings are large, and are not parsed here.
  if (!text.includes('"tool_calls"')) return text;
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    return text;
  }
  const wrong = listFunctions(body).filter((one) => typeof one['arguments'] !== 'string');
  if (wrong.length === 0) return text;
  for (const one of wrong) one['arguments'] = JSON.stringify(one['arguments'] ?? {});
  return JSON.stringify(body);
}

/** The functions that a response calls. */
function listFunctions(body: Json): JsonObject[] {
  return listItems(body, 'choices')
    .map((choice) => (isObject(choice) ? choice['message'] : undefined))
    .flatMap((message) => listItems(message, 'tool_calls'))
    .map((call) => (isObject(call) ? call['function'] : undefined))
    .filter((called) => called !== undefined && isObject(called));
}

function listItems(value: Json | undefined, name: string): readonly Json[] {
  const items = value !== undefined && isObject(value) ? value[name] : undefined;
  return Array.isArray(items) ? items : [];
}
