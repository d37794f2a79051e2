import { expect, test } from 'vitest';
import { explainFailure } from './explain-failure.ts';

const http = { url: 'https://api.example.com/orders', body: {} };
const withSecret = { ...http, authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' } };
const withConnection = { ...http, authentication: { type: 'oauth2', credential: 'GITHUB' } };
type Failure = Parameters<typeof explainFailure>[0];
const answered = (status: number): Failure => ({
  type: status === 429 ? 'rate_limited' : status < 500 ? 'client_error' : 'server_error',
  message: `GET https://api.example.com/orders responded with ${status}`,
  status,
});
const network = (words: string): Failure => ({ type: 'network', message: `api.example.com ${words}` });

test.each<[string, Failure, Record<string, unknown>, RegExp, string | null, string | null]>([
  [
    '401',
    answered(401),
    withSecret,
    /not accept the credentials/,
    'config.authentication',
    '/settings/secrets',
  ],
  [
    '401, account',
    answered(401),
    withConnection,
    /credentials/,
    'config.authentication',
    '/settings/connections',
  ],
  ['401, none set', answered(401), http, /credentials/, null, null],
  ['403', answered(403), withSecret, /do not allow/, 'config.authentication', '/settings/secrets'],
  ['404', answered(404), http, /nothing at this address/, 'config.url', null],
  ['405', answered(405), http, /method/, 'config.method', null],
  ['409', answered(409), http, /conflicts/, null, null],
  ['413', answered(413), http, /size/, 'config.body', null],
  ['415', answered(415), http, /type of body/, 'config.body_type', null],
  ['422', answered(422), http, /rejected the data/, 'config.body', null],
  ['429', answered(429), http, /too many requests/, null, null],
  ['500', answered(500), http, /service itself/, null, null],
  ['503', answered(503), http, /service itself/, null, null],
  [
    'timeout',
    { type: 'timeout', message: 'api.example.com did not respond within 5 ms' },
    http,
    /in time/,
    'config.timeout',
    null,
  ],
  ['DNS', network('could not be resolved'), http, /name of the host/, 'config.url', null],
  ['refused', network('refused the connection'), http, /refused/, 'config.url', null],
  [
    'TLS',
    network('could not be reached securely (CERT_HAS_EXPIRED)'),
    http,
    /certificate/,
    'config.url',
    null,
  ],
  ['closed', network('closed the connection before responding'), http, /closed/, null, null],
  ['no HTTP', network('did not respond with valid HTTP'), http, /not respond with HTTP/, 'config.url', null],
  ['other network', network('cannot be reached'), http, /could not be reached/, 'config.url', null],
  [
    'template',
    { type: 'template', message: 'url: input.x is missing', data: { field: 'url' } },
    http,
    /data does not have/,
    'config.url',
    null,
  ],
  [
    'template, other',
    { type: 'template', message: 'cannot divide', data: { field: 'body' } },
    http,
    /evaluated/,
    'config.body',
    null,
  ],
  [
    'validation',
    { type: 'validation', message: 'items: must be a list', data: { field: 'items' } },
    {},
    /form/,
    'config.items',
    null,
  ],
  [
    'private address',
    { type: 'forbidden', message: 'x is private; allow it with WEFT_ALLOWED_HOSTS' },
    http,
    /private network/,
    'config.url',
    null,
  ],
  [
    'bound secret',
    { type: 'forbidden', message: 'The secret A may not be sent to b' },
    http,
    /may not be sent/,
    'config.url',
    '/settings/secrets',
  ],
  [
    'bound token',
    { type: 'forbidden', message: 'The token of the connection A may not be sent to b' },
    http,
    /may not be sent/,
    'config.url',
    '/settings/connections',
  ],
  ['limit', { type: 'limit', message: 'An execution may run at most 1 nodes.' }, {}, /limit/, null, null],
  ['code', { type: 'code', message: 'x is not defined' }, { code: 'x' }, /code threw/, 'config.code', null],
  ['interrupted', { type: 'interrupted', message: 'The process crashed' }, {}, /process ended/, null, null],
])('%s', (_name, failure, config, cause, field, href) => {
  const explanation = explainFailure(failure, config);
  expect(explanation?.cause).toMatch(cause);
  expect(explanation?.advice).toMatch(/\.$/);
  expect([explanation?.field, explanation?.page?.href ?? null]).toEqual([field, href]);
});

test.each<Failure>([
  { type: 'stopped', message: 'Out of stock' },
  { type: 'internal', message: 'Internal error' },
  { type: 'client_error', message: 'duplicate key' },
])('$type says it itself', (failure) => {
  expect(explainFailure(failure, {})).toBeNull();
});
