import { WeftError } from '../../contract/errors.ts';
import type { ExecutionResponse } from '../../contract/execution.ts';
import {
  isJsonType,
  readMediaType,
  findResponseHeaderIssue,
  scopeCookie,
} from '../../contract/webhooks/webhook-response.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sent with every response of a workflow. They give the page an opaque origin, so that it cannot run scripts
 * or read data of the editor on the same host.
 */
export const ISOLATION_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
};

export type WrittenResponse = { status: number; headers: Record<string, string>; body: string };

/** The path that cookies are scoped to. `isTest`: a test URL, whose path an author cannot know in advance. */
export type CookieScope = { path: string; isTest: boolean };

/**
 * Converts the response of a `respond` node: text is sent as text, other values as JSON. Header names are in
 * lower case. The node has checked the headers; invalid ones in responses recorded by earlier versions are
 * dropped.
 * @throws {WeftError} EXECUTION_FAILED for a cookie with a Path outside the path of `cookies`.
 */
export function writeResponse(
  response: ExecutionResponse,
  executionId: string,
  cookies: () => CookieScope,
): WrittenResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    const lower = name.toLowerCase();
    if (findResponseHeaderIssue(lower, value) === null) headers[lower] = value;
  }
  const cookie = headers['set-cookie'];
  if (cookie !== undefined) headers['set-cookie'] = requireScopedCookie(cookie, executionId, cookies());
  const contentType = headers['content-type'] ?? null;
  const isText = typeof response.body === 'string' && (contentType === null || !isJsonType(contentType));
  if (contentType === null || readMediaType(contentType) === null)
    headers['content-type'] = isText ? 'text/plain; charset=utf-8' : JSON_TYPE;
  return {
    status: response.status,
    headers,
    body: isText ? (response.body as string) : JSON.stringify(response.body),
  };
}

function requireScopedCookie(value: string, executionId: string, { path, isTest }: CookieScope): string {
  const scoped = scopeCookie(value, path, isTest);
  if (scoped !== null) return scoped;
  throw new WeftError(
    'EXECUTION_FAILED',
    `The response sets a cookie whose Path is not below ${path}, the path of the webhook.`,
    { execution_id: executionId },
  );
}
