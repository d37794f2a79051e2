import { createHash, createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { sign as signForGithub } from '@octokit/webhooks-methods';
import { EventWebhook } from '@sendgrid/eventwebhook';
import { verifyKey } from 'discord-interactions';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import {
  getExpectedTwilioSignature,
  validateRequest,
  validateRequestWithBody,
} from 'twilio/lib/webhooks/webhooks.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

/*
 * Known senders at the built program. Requests are signed by the sender's own library; where a library only
 * verifies, what is signed here must pass it first. Shopify, GitLab and Telegram have no library that signs,
 * and follow their documentation.
 */

const KEY = 'a key with thirty-two characters';
const KEY_BYTES = Buffer.from('0123456789abcdef01234567');
const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

type Headers = Record<string, string>;
type Preset = {
  config: object;
  secret?: string;
  type?: string;
  raw: string;
  /** `url`: the address that is called. `ageS`: seconds since the request was signed. */
  sign(raw: string, url: string, ageS: number): Headers | Promise<Headers>;
  /** Whether a time is signed. */
  isTimed: boolean;
  /** Headers besides the signature that identify the delivery. */
  id?: Headers;
};

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

const secondsAgo = (ageS: number): number => Math.floor(Date.now() / 1000) - ageS;
const hmac = (algorithm: string, key: string, text: string) => createHmac(algorithm, key).update(text);
const exportDer = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const stripe = new Stripe('sk_test_x');

async function discordHeaders(raw: string, _url: string, ageS: number): Promise<Headers> {
  const time = String(secondsAgo(ageS));
  const signature = sign(null, Buffer.from(time + raw), ed25519.privateKey).toString('hex');
  const publicKey = exportDer(ed25519.publicKey).subarray(-32).toString('hex');
  expect(await verifyKey(raw, signature, time, publicKey)).toBe(true);
  return { 'x-signature-ed25519': signature, 'x-signature-timestamp': time };
}

function sendgridHeaders(raw: string, _url: string, ageS: number): Headers {
  const time = String(secondsAgo(ageS));
  const signature = sign('sha256', Buffer.from(time + raw), p256.privateKey).toString('base64');
  const library = new EventWebhook();
  const key = library.convertPublicKeyToECDSA(exportDer(p256.publicKey).toString('base64'));
  expect(library.verifySignature(key, raw, signature, time)).toBe(true);
  return {
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': time,
  };
}

const presets: Record<string, Preset> = {
  github: {
    config: { preset: 'github' },
    secret: KEY,
    raw: '{"action":"opened"}',
    sign: async (raw) => ({ 'x-hub-signature-256': await signForGithub(KEY, raw) }),
    id: { 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    isTimed: false,
  },
  meta: {
    config: { preset: 'meta' },
    secret: KEY,
    raw: '{"object":"page","entry":[{"id":"1","text":"\\u00e4"}]}',
    sign: (raw) => ({ 'x-hub-signature-256': `sha256=${hmac('sha256', KEY, raw).digest('hex')}` }),
    id: { 'idempotency-key': 'none of its own' },
    isTimed: false,
  },
  gitlab: {
    config: { preset: 'gitlab' },
    secret: KEY,
    raw: '{"object_kind":"push"}',
    sign: () => ({ 'x-gitlab-token': KEY }),
    id: { 'idempotency-key': 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' },
    isTimed: false,
  },
  stripe: {
    config: { preset: 'stripe' },
    secret: 'whsec_test_secret',
    raw: '{"id":"evt_1","object":"event"}',
    sign: (payload, _url, ageS) => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({
        payload,
        secret: 'whsec_test_secret',
        timestamp: secondsAgo(ageS),
      }),
    }),
    isTimed: true,
  },
  slack: {
    config: { preset: 'slack' },
    secret: KEY,
    raw: '{"type":"event_callback","event_id":"Ev1"}',
    sign: (raw, _url, ageS) => {
      const time = secondsAgo(ageS);
      return {
        'x-slack-request-timestamp': String(time),
        'x-slack-signature': `v0=${hmac('sha256', KEY, `v0:${time}:${raw}`).digest('hex')}`,
      };
    },
    isTimed: true,
  },
  shopify: {
    config: { preset: 'shopify' },
    secret: KEY,
    raw: '{"id":"gid://shopify/Order/1"}',
    sign: (raw) => ({ 'x-shopify-hmac-sha256': hmac('sha256', KEY, raw).digest('base64') }),
    id: { 'x-shopify-webhook-id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043' },
    isTimed: false,
  },
  twilio: {
    config: { preset: 'twilio' },
    secret: KEY,
    type: 'application/x-www-form-urlencoded; charset=UTF-8',
    raw: 'To=%2B18005551212&Body=z%C3%BCrich+a%26b&From=%2B14158675309&MediaUrl=b&MediaUrl=a&MediaUrl=a',
    sign: (raw, url) => {
      const fields: Record<string, string | string[]> = {};
      for (const [name, value] of new URLSearchParams(raw)) {
        const before = fields[name];
        fields[name] = before === undefined ? value : [before, value].flat();
      }
      const signature = getExpectedTwilioSignature(KEY, url, fields);
      expect(validateRequest(KEY, signature, url, fields)).toBe(true);
      return { 'x-twilio-signature': signature };
    },
    id: { 'i-twilio-idempotency-token': 'f6b8d7d0-2f4d-4e3a-9d0f-7c9f3e6d1a11' },
    isTimed: false,
  },
  discord: {
    config: { preset: 'discord', publicKey: exportDer(ed25519.publicKey).subarray(-32).toString('hex') },
    raw: '{"id":"786008729715212338","type":2,"token":"A_UNIQUE_TOKEN"}',
    sign: discordHeaders,
    isTimed: true,
  },
  sendgrid: {
    config: { preset: 'sendgrid', publicKey: exportDer(p256.publicKey).toString('base64') },
    raw: '[{"email":"a@example.com","event":"open"}]\r\n',
    sign: sendgridHeaders,
    isTimed: true,
  },
  telegram: {
    config: { preset: 'telegram' },
    secret: KEY,
    raw: '{"update_id":10000,"message":{"text":"hi"}}',
    sign: () => ({ 'x-telegram-bot-api-secret-token': KEY }),
    isTimed: false,
  },
  standard: {
    config: { preset: 'standard' },
    secret: `whsec_${KEY_BYTES.toString('base64')}`,
    raw: '{"type":"contact.created"}',
    sign: (raw, _url, ageS) => {
      const time = new Date(secondsAgo(ageS) * 1000);
      const signature = new StandardWebhook(KEY_BYTES.toString('base64')).sign('msg_1', time, raw);
      return {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(secondsAgo(ageS)),
        'webhook-signature': signature,
      };
    },
    isTimed: true,
  },
  svix: {
    config: { preset: 'svix' },
    secret: `whsec_${KEY_BYTES.toString('base64')}`,
    raw: '{"type":"invoice.paid"}',
    sign: (raw, _url, ageS) => {
      const time = new Date(secondsAgo(ageS) * 1000);
      const signature = new SvixWebhook(KEY_BYTES.toString('base64')).sign('msg_2', time, raw);
      return {
        'svix-id': 'msg_2',
        'svix-timestamp': String(Math.floor(time.getTime() / 1000)),
        'svix-signature': signature,
      };
    },
    isTimed: true,
  },
};

async function activate(endpoint: string, config: object, secret?: string): Promise<ApiResponse> {
  const name = endpoint.toUpperCase().replaceAll('-', '_');
  if (secret !== undefined) await api('PUT', `/secrets/${name}`, { body: { value: secret } });
  const definition = createEchoWorkflow(endpoint, {
    authentication: 'sender',
    ...(secret === undefined ? {} : { secret: name }),
    ...config,
  });
  return api('POST', '/workflows', { body: { name: endpoint, definition, status: 'active' } });
}

const buildUrl = (endpoint: string): string => `${weft.url}/webhooks/${endpoint}`;
const send = (
  endpoint: string,
  raw: string,
  headers: Headers,
  type = 'application/json',
): Promise<ApiResponse> =>
  weft.call('POST', `/webhooks/${endpoint}`, { raw, headers: { 'content-type': type, ...headers } });
const readExecutionId = (response: ApiResponse): string | null => response.headers.get('x-weft-execution-id');

describe.each(Object.entries(presets))('%s', (name, preset) => {
  const { config, secret, raw, type, isTimed, id = {} } = preset;
  const signed = async (text: string, ageS = 0): Promise<Headers> => ({
    ...(await preset.sign(text, buildUrl(name), ageS)),
    ...id,
  });

  test('what its library signs is accepted, and a delivery that is sent again starts nothing new', async () => {
    const activated = await activate(name, config, secret);
    expect(activated.status, activated.text).toBe(201);
    const headers = await signed(raw);
    const first = await send(name, raw, headers, type);
    expect(first.status, first.text).toBe(200);
    const again = await send(name, raw, headers, type);
    expect([again.status, readExecutionId(again)]).toEqual([200, readExecutionId(first)]);
  });

  test('anything else gets 401', async () => {
    const headers = await signed(raw);
    if (preset.sign.length > 0) {
      const other = type === undefined ? `${raw} ` : `${raw}x`;
      expect((await send(name, other, headers, type)).status).toBe(401);
    }
    expect((await send(name, raw, id, type)).status).toBe(401);
    for (const [field, value] of Object.entries(headers)) {
      if (Object.hasOwn(id, field)) continue;
      const changed = value.replace(/[0-8](?=[^0-8]*$)|[A-Za-y](?=[^A-Za-y]*$)/, '9');
      expect((await send(name, raw, { ...headers, [field]: changed }, type)).status, field).toBe(401);
    }
  });

  test.runIf(isTimed)('a signature counts for five minutes', async () => {
    expect((await send(name, raw, await signed(raw, 280), type)).status).toBe(200);
    expect((await send(name, raw, await signed(raw, 320), type)).status).toBe(401);
    expect((await send(name, raw, await signed(raw, -320), type)).status).toBe(401);
  });
});

describe('Twilio', () => {
  test('signs the address with its query', async () => {
    const url = `${buildUrl('twilio')}?room=1&b=%20`;
    const headers = { 'x-twilio-signature': getExpectedTwilioSignature(KEY, url, { A: '1' }) };
    const call = (query: string): Promise<ApiResponse> =>
      send(`twilio?${query}`, 'A=1', headers, 'application/x-www-form-urlencoded');
    expect((await call('room=1&b=%20')).status).toBe(200);
    expect((await call('room=2&b=%20')).status).toBe(401);
  });

  test('signs JSON by its hash in the address', async () => {
    const raw = '{"a":1}';
    const hash = createHash('sha256').update(raw).digest('hex');
    const url = `${buildUrl('twilio')}?bodySHA256=${hash}`;
    const signature = getExpectedTwilioSignature(KEY, url, {});
    expect(validateRequestWithBody(KEY, signature, url, raw)).toBe(true);
    const headers = { 'x-twilio-signature': signature };
    expect((await send(`twilio?bodySHA256=${hash}`, raw, headers)).status).toBe(200);
    expect((await send(`twilio?bodySHA256=${hash}`, '{"a":2}', headers)).status).toBe(401);
  });

  test('JSON without a hash is covered by no signature', async () => {
    const headers = { 'x-twilio-signature': getExpectedTwilioSignature(KEY, buildUrl('twilio'), {}) };
    expect((await send('twilio', '{"a":1}', headers)).status).toBe(401);
  });
});

test('Discord: PING succeeds after its signature is verified, and starts nothing', async () => {
  const raw = '{"id":"1","type":1,"application_id":"2"}';
  const response = await send('discord', raw, await discordHeaders(raw, '', 0));
  expect([response.status, response.body, readExecutionId(response)]).toEqual([200, { type: 1 }, null]);
  expect((await send('discord', raw, {})).status).toBe(401);
});

test('a token that proves the caller is not passed on', async () => {
  const definition = {
    nodes: [
      {
        id: 'hook',
        type: 'trigger',
        config: {
          triggerType: 'webhook',
          endpoint: 'token-kept',
          authentication: 'sender',
          preset: 'gitlab',
          secret: 'GITLAB',
          respond: 'on_completion',
        },
      },
    ],
    connections: [],
  };
  await api('POST', '/workflows', { body: { name: 'token', definition, status: 'active' } });
  const response = await send('token-kept', '{}', { 'x-gitlab-token': KEY, 'x-gitlab-event': 'Push Hook' });
  const { headers } = response.body as { headers: Headers };
  expect(headers).toHaveProperty('x-gitlab-event');
  expect(headers).not.toHaveProperty('x-gitlab-token');
});
