import { expect, it } from 'vitest';
import { exampleResponses } from '../../../src/api/docs/example-responses.ts';
import { assertConforms, type SeenResponse } from './assert-openapi.ts';

const known: Record<string, string> = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'req_1',
  'weft-version': '0.1.0',
};

function seen(change: Partial<SeenResponse> = {}, headers: Record<string, string | null> = {}): SeenResponse {
  return {
    method: 'GET',
    path: '/workflows/wf_1?x=1',
    status: 200,
    header: (name) => ({ ...known, ...headers })[name] ?? null,
    text: JSON.stringify(exampleResponses['Workflow']),
    ...change,
  };
}

function changed(change: Record<string, unknown>): string {
  return JSON.stringify({ ...(exampleResponses['Workflow'] as object), ...change });
}

it('accepts documented responses', () => {
  expect(() => assertConforms(seen())).not.toThrow();
  expect(() => assertConforms(seen({ method: 'HEAD', text: '' }))).not.toThrow();
  expect(() =>
    assertConforms(seen({ path: '/users/me', text: JSON.stringify(exampleResponses['User']) })),
  ).not.toThrow();
  expect(() =>
    assertConforms(seen({ status: 400, text: JSON.stringify(exampleResponses['Error']) })),
  ).not.toThrow();
});

it.each([
  ['a field too many', seen({ text: changed({ extra: 1 }) }), /additional properties.*extra/],
  ['a field too few', seen({ text: changed({ triggers: undefined }) }), /required property 'triggers'/],
  [
    'a status of another kind',
    seen({ text: changed({ status: 'asleep' }) }),
    /status must be equal to one of/,
  ],
  [
    'a time without milliseconds',
    seen({ text: changed({ created_at: '2026-03-02T09:15:04Z' }) }),
    /created_at/,
  ],
  [
    'a code that is not in the row',
    seen({ status: 400, text: error('CONFLICT') }),
    /the code CONFLICT is not/,
  ],
  ['a code of another status', seen({ status: 404, text: error('FORBIDDEN') }), /the code FORBIDDEN is not/],
  ['details that are null', seen({ status: 404, text: error('NOT_FOUND', null) }), /details must be object/],
  ['a status that is not in the row', seen({ status: 409, text: error('CONFLICT') }), /not one of 200, 400/],
  ['a response that is not JSON', seen({ text: '<html>' }), /it is not JSON/],
  ['another type', seen({}, { 'content-type': 'text/html' }), /the type text\/html/],
  ['no request id', seen({}, { 'x-request-id': null }), /x-request-id is missing/],
  ['429 without a time', seen({ status: 429, text: error('RATE_LIMITED') }), /retry-after is missing/],
  ['401 without a way', seen({ status: 401, text: error('UNAUTHORIZED') }), /www-authenticate is missing/],
  ['a method that is not there', seen({ method: 'PATCH' }), /the method is not in the document/],
])('catches %s', (_, response, problem) => {
  expect(() => assertConforms(response)).toThrow(problem);
});

function error(code: string, details: unknown = {}): string {
  return JSON.stringify({ error: { code, message: 'No.', details } });
}
