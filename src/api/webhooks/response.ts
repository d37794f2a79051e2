import { WeftError } from '../../contract/errors.ts';
import type { HttpAnswer } from '../../contract/execution.ts';
import {
  isJsonType,
  mediaTypeEssence,
  responseHeaderIssue,
  scopeCookie,
} from '../../contract/webhook-response.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Carried by every answer that a workflow makes, whatever its content type: browsers then give the page an origin of its own, so
 * it can neither run scripts nor read what belongs to the editor, which may be served from the same host.
 */
export const ISOLATION_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
};

export type Written = { status: number; headers: Record<string, string>; body: string };

/** Where cookies of the answer belong. `isTest`: a test address, whose path an author cannot know in advance. */
export type CookieScope = { path: string; isTest: boolean };

/**
 * A `respond` node's answer as bytes: text as text, anything else as JSON. Header names in lower case.
 * The node has checked the headers; an answer that an earlier version recorded may still hold others, which are left out.
 * @throws {WeftError} EXECUTION_FAILED for a cookie with a Path outside of what `cookies` returns.
 */
export function writeResponse(answer: HttpAnswer, executionId: string, cookies: () => CookieScope): Written {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    const lower = name.toLowerCase();
    if (responseHeaderIssue(lower, value) === null) headers[lower] = value;
  }
  const cookie = headers['set-cookie'];
  if (cookie !== undefined) headers['set-cookie'] = scopedCookie(cookie, executionId, cookies());
  const given = headers['content-type'] ?? null;
  const isText = typeof answer.body === 'string' && (given === null || !isJsonType(given));
  if (given === null || mediaTypeEssence(given) === null)
    headers['content-type'] = isText ? 'text/plain; charset=utf-8' : JSON_TYPE;
  return {
    status: answer.status,
    headers,
    body: isText ? (answer.body as string) : JSON.stringify(answer.body),
  };
}

function scopedCookie(value: string, executionId: string, { path, isTest }: CookieScope): string {
  const scoped = scopeCookie(value, path, isTest);
  if (scoped !== null) return scoped;
  throw new WeftError(
    'EXECUTION_FAILED',
    `The answer sets a cookie whose Path does not lie below ${path}, the webhook's own address.`,
    { execution_id: executionId },
  );
}
