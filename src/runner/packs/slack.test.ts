import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildArchive } from '../../../test/support/servers/npm-registry.ts';
import { slackCertificate, slackKey } from '../../../test/support/servers/tls-certificates.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { PackCall } from '../../contract/packs/pack-call.ts';
import type { NpmManifest } from '../../contract/packs/npm-packs.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { createPackRunner } from './pack-runner.ts';

/** A published package, against a fake of its service. */
const folder = new URL('../../../node_modules/@activepieces/piece-slack/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const about = JSON.parse(read('package.json')) as { name: string; version: string; main: string };
const archive = buildArchive(about.name, about.version, { 'src/index.js': read('src/index.js') }, about);

const received: { url: string; authorization: string | undefined; body: string }[] = [];
const fake = createServer({ cert: slackCertificate, key: slackKey }, (request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    const { url = '', headers } = request;
    received.push({ url, authorization: headers.authorization, body });
    if (url.startsWith('/api/conversations.list') || url.startsWith('/api/users.conversations')) {
      const channels = [
        { id: 'C1', name: 'general' },
        { id: 'C2', name: 'random' },
      ];
      const answer = { ok: true, channels, response_metadata: { next_cursor: '' } };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
    if (url === '/api/auth.test')
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ok: true, team_id: 'T1', user_id: 'U1' }));
    const answer = body.includes('nowhere')
      ? { ok: false, error: 'channel_not_found' }
      : { ok: true, ts: '1.2' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});
const runner = createPackRunner({
  registry: null,
  egress: { send: () => Promise.reject(new Error('A test reached the registry')) },
  loadArchive: () => Promise.resolve(archive),
  warn: () => {},
  authorities: [slackCertificate],
});
let manifest: NpmManifest;

beforeAll(async () => {
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  const result = await runner.read(archive, AbortSignal.timeout(30_000));
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.errors));
  ({ manifest } = result);
});
afterAll(() => {
  runner.close();
  fake.closeAllConnections();
  fake.close();
});

const openFake = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { port } = fake.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket)).on('error', reject);
  });
const auth = { type: 'OAUTH2', access_token: 'xoxb-test', data: { access_token: 'xoxb-test' } };
function call(
  operation: string,
  props: JsonObject,
  more: Partial<Pick<PackCall, 'choices' | 'trigger' | 'auth'>> = {},
) {
  return runner.run({
    pack: { name: 'slack', version: manifest.version, integrity: manifest.package.integrity },
    operation,
    auth,
    ...more,
    props,
    files: new Map(),
    ownerId: 'usr_a',
    signal: AbortSignal.timeout(30_000),
    log: () => {},
    open: ({ host }) =>
      host === 'slack.com'
        ? openFake()
        : Promise.reject(new HttpFailure({ type: 'forbidden', message: `${host} is not allowed` })),
  });
}

test('lists its actions, its triggers and its OAuth settings', () => {
  expect(manifest).toMatchObject({ name: 'slack', version: '0.17.9', title: 'Slack' });
  expect(manifest.package.license).toBeNull();
  expect(manifest.operations.length).toBeGreaterThan(50);
  expect(manifest.triggers.length).toBeGreaterThan(5);
  const oauth2 = manifest.securitySchemes.find(({ kind }) => kind === 'oauth2');
  expect(oauth2).toMatchObject({ grants: [{ tokenUrl: 'https://slack.com/api/oauth.v2.access' }] });
  const send = manifest.operations.find(({ id }) => id === 'send_channel_message');
  expect(send?.properties.map(({ name }) => name)).toEqual(expect.arrayContaining(['channel', 'text']));
});

test('sends a message with the credential, and reports the error of the service', async () => {
  const props = { channel: 'C1', text: 'Hello', sendAsBot: true };
  expect(await call('send_channel_message', props)).toMatchObject({ kind: 'value' });
  const sent = received.find(({ url }) => url === '/api/chat.postMessage');
  expect(sent?.authorization).toBe('Bearer xoxb-test');
  expect(decodeURIComponent(sent?.body ?? '')).toContain('Hello');
  const refused = await call('send_channel_message', { ...props, channel: 'nowhere' });
  expect(refused).toMatchObject({ kind: 'failed', hasConnected: true });
  expect(JSON.stringify(refused)).toContain('channel_not_found');
});

test('lists the channels of the account as choices', async () => {
  const choices = { of: 'action', property: 'channel', search: '' } as const;
  expect(await call('send_channel_message', {}, { choices })).toMatchObject({
    kind: 'value',
    value: {
      kind: 'options',
      options: [
        { label: 'general', value: 'C1' },
        { label: 'random', value: 'C2' },
      ],
    },
  });
  expect(received.at(-1)?.authorization).toBe('Bearer xoxb-test');
});

test('cannot send the credential to another host', async () => {
  const url = { url: 'https://elsewhere.example.com/x' };
  const result = await call('custom_api_call', {
    url,
    method: 'GET',
    headers: {},
    queryParams: {},
    body: {},
  });
  expect(result).toMatchObject({
    kind: 'failed',
    error: { type: 'forbidden', message: 'elsewhere.example.com is not allowed' },
    hasConnected: false,
  });
});

test('lists its triggers, which listen to events of the team of the account', async () => {
  expect(manifest.triggers.length).toBeGreaterThan(10);
  expect(new Set(manifest.triggers.map(({ strategy }) => strategy))).toEqual(new Set(['app_webhook']));
  const bot = { type: 'CUSTOM_AUTH', props: { botToken: 'xoxb-of-the-bot' } };
  const enabled = await call(
    'new-message-in-channel',
    { channel: 'C1' },
    { auth: bot, trigger: { hook: 'enable', state: {} } },
  );
  expect(enabled).toMatchObject({
    kind: 'value',
    value: { listeners: [{ event: 'message', identifier: 'T1' }] },
  });
});

test('verifies and reads the requests of its app without network', async () => {
  const { name, version, package: stated } = manifest;
  const secret = 'signing-secret';
  const receive = (body: JsonObject, signature?: string) => {
    const rawBody = JSON.stringify(body);
    const time = '1700000000';
    const signed = `v0=${createHmac('sha256', secret).update(`v0:${time}:${rawBody}`).digest('hex')}`;
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': time,
      'x-slack-signature': signature ?? signed,
    };
    const payload = { method: 'POST', headers, queryParams: {}, body, rawBody };
    const pack = { name, version, integrity: stated.integrity };
    return runner.readAppRequest({ pack, url: '', secret, payload }, AbortSignal.timeout(30_000));
  };
  const event = { type: 'event_callback', team_id: 'T1', event: { type: 'message', text: 'Hello' } };
  expect(await receive(event)).toEqual({
    isVerified: true,
    listener: { event: 'message', identifier: 'T1' },
    reply: null,
  });
  expect(await receive(event, 'v0=forged')).toEqual({ isVerified: false, listener: null, reply: null });
  expect(await receive({ type: 'url_verification', challenge: 'abc' })).toEqual({
    isVerified: true,
    listener: null,
    reply: { status: 200, headers: {}, body: 'abc' },
  });
});
