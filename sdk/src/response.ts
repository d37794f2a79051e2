import { ConnectionError, UnexpectedResponseError, createError, type WeftError } from './errors.ts';

/** The number of characters of an unexpected response shown in the error. */
const MAX_SHOWN_LENGTH = 200;

/** Reads the body of a successful response, or throws an error. `limit` is in bytes. */
export async function readResponse<T>(response: Response, limit: number): Promise<T> {
  const text = await readText(response, limit);
  const facts = { status: response.status, requestId: response.headers.get('x-request-id') };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new UnexpectedResponseError({
      ...facts,
      message: `The response (${response.status}) is not JSON. Check that the base URL is that of a Weft service. The response starts with ${JSON.stringify(text.slice(0, MAX_SHOWN_LENGTH))}.`,
      cause,
    });
  }
  if (response.ok) return body as T;
  throw errorFrom(body, response);
}

/** Creates the error that a response describes. */
function errorFrom(body: unknown, response: Response): WeftError {
  const facts = { status: response.status, requestId: response.headers.get('x-request-id') };
  const error = (body as { error?: unknown } | null)?.error;
  const { code, message, details } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    message?: unknown;
    details?: unknown;
  };
  if (typeof code !== 'string') {
    return new UnexpectedResponseError({
      ...facts,
      message: `The response has the status ${response.status} but no error message.`,
    });
  }
  const known = typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {};
  const wait = parseRetryAfter(response);
  return createError(code, {
    ...facts,
    message: typeof message === 'string' ? message : code,
    details: wait === null || 'retry_after' in known ? known : { ...known, retry_after: wait / 1_000 },
  });
}

/** The delay in ms that `Retry-After` asks for; null without the header. */
function parseRetryAfter(response: Response): number | null {
  const text = response.headers.get('retry-after');
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

async function readText(response: Response, limit: number): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > limit) {
        throw new ConnectionError({
          message: `The response is larger than ${limit} bytes; request less data or raise maxResponseBytes.`,
          status: response.status,
          requestId: response.headers.get('x-request-id'),
        });
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    // This has no effect on a body that was read completely.
    await reader.cancel().catch(() => {});
  }
}
