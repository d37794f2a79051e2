import { describe, expect, test } from 'vitest';
import { isJsonType, findResponseHeaderIssue, scopeCookie } from './webhook-response.ts';

describe('headers that a workflow may set', () => {
  test.each(['content-type', 'etag', 'vary', 'location', 'link', 'x-mine', 'x-ratelimit-limit', 'x-auth'])(
    '%s is allowed',
    (name) => expect(findResponseHeaderIssue(name, null)).toBeNull(),
  );

  test.each([
    'access-control-allow-origin',
    'alt-svc',
    'clear-site-data',
    'content-encoding',
    'content-length',
    'content-security-policy',
    'content-security-policy-report-only',
    'cross-origin-opener-policy',
    'document-policy',
    'nel',
    'origin-agent-cluster',
    'permissions-policy',
    'refresh',
    'report-to',
    'reporting-endpoints',
    'server',
    'service-worker-allowed',
    'sourcemap',
    'strict-transport-security',
    'supports-loading-mode',
    'transfer-encoding',
    'use-as-dictionary',
    'weft-version',
    'www-authenticate',
    'x-accel-redirect',
    'x-content-type-options',
    'x-frame-options',
    'x-request-id',
    'x-weft-execution-id',
  ])('%s is refused', (name) =>
    expect(findResponseHeaderIssue(name, null)).toContain('may set; allowed are'),
  );
});

describe('content types', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON; Charset=UTF-8',
    'application/problem+json',
    ' application/vnd.api+json;version=1',
  ])('%j is JSON', (type) => expect(isJsonType(type)).toBe(true));

  test.each([
    'text/html; profile=json',
    'text/html; x=json',
    'image/svg+xml;json=1',
    'text/xml;json=1',
    'application/json, text/html',
    'text/html;x="application/json"',
    'application/jsonx',
    'text/json',
    'application/json\ttext/html',
  ])('%j is not JSON', (type) => expect(isJsonType(type)).toBe(false));

  test.each([
    'application/json, text/html',
    'text/html,application/json',
    'image/svg+xml;json',
    'application/json\ttext/html',
    'text/html; a="b, text/html"',
    'html',
    '',
  ])('%j is not one media type', (type) =>
    expect(findResponseHeaderIssue('content-type', type)).toContain('one media type'),
  );

  test.each(['multipart/x-mixed-replace; boundary=x', 'Multipart/Related', 'message/rfc822'])(
    '%s is refused: its parts have headers of their own',
    (type) => expect(findResponseHeaderIssue('content-type', type)).toContain('multipart'),
  );
});

describe('cookies', () => {
  test.each([
    ['a=1', 'a=1; Path=/v1/webhooks/shop'],
    ['a=; HttpOnly; Secure; SameSite=Lax', 'a=; HttpOnly; Secure; SameSite=Lax; Path=/v1/webhooks/shop'],
    ['a="1"; Path=/v1/webhooks/shop; Max-Age=60', 'a="1"; Max-Age=60; Path=/v1/webhooks/shop'],
    ['a=1; path = /v1/webhooks/shop/cart', 'a=1; Path=/v1/webhooks/shop/cart'],
  ])('%s is scoped to the webhook', (cookie, written) => {
    expect(findResponseHeaderIssue('set-cookie', cookie)).toBeNull();
    expect(scopeCookie(cookie, '/v1/webhooks/shop', false)).toBe(written);
  });

  test.each([
    'a=1; Path=/',
    'a=1; Path=/v1',
    'a=1; Path=',
    'a=1; Path',
    'a=1; Path=/v1/webhooks/shop; path=/',
    'a=1; Domain=example.com; Path=/v1/webhooks/shop',
    '__Host-a=1',
    '__secure-a=1',
    'weft_login=1',
    'WEFT_session=1',
    '=weft_login=1',
    'a',
    '',
    'a=1, b=2; Path=/v1/webhooks/shop',
    'a b=1',
    'a=ü',
  ])('%j is refused', (cookie) => expect(findResponseHeaderIssue('set-cookie', cookie)).not.toBeNull());

  test('a Path of another webhook is rejected, also one with a common prefix', () => {
    for (const other of ['/v1/webhooks/shopping', '/v1/webhooks/other', '/v1/webhooks/'])
      expect(scopeCookie(`a=1; Path=${other}`, '/v1/webhooks/shop', false)).toBeNull();
    expect(scopeCookie('a=1; Path=/v1/webhooks/shop', '/v1/listen/x', true)).toBe('a=1; Path=/v1/listen/x');
    expect(scopeCookie('a=1', '/v1/webhooks/a;Domain=x', false)).toBeNull();
  });
});
