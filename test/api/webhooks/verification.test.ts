import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const KEY = 'a key with thirty-two characters';
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  await api('PUT', '/secrets/KEY', { body: { value: KEY } });
  await api('PUT', '/secrets/HEX_KEY', { body: { value: Buffer.from(KEY).toString('hex') } });
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

type Headers = Record<string, string>;

async function activate(
  endpoint: string,
  verification: object,
  config: object = { secret: 'KEY' },
): Promise<ApiResponse> {
  const definition = createEchoWorkflow(endpoint, { authentication: 'sender', verification, ...config });
  return api('POST', '/workflows', { body: { name: endpoint, definition, status: 'active' } });
}
const send = (path: string, raw: string, headers: Headers, method = 'POST'): Promise<ApiResponse> =>
  weft.call(method, `/webhooks/${path}`, {
    raw,
    headers: { 'content-type': 'application/json', ...headers },
  });
const sendForStatus = async (...args: Parameters<typeof send>): Promise<number> =>
  (await send(...args)).status;
const hmac = (algorithm: string, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac(algorithm, KEY).update(text).digest(encoding);

test('a sender that signs method, address, body and a time in milliseconds', async () => {
  const response = await activate(
    'crm',
    {
      type: 'hmac',
      header: 'X-Signature-V3',
      encoding: 'base64',
      signed: '{method}{url}{body}{time}',
      timestampHeader: 'X-Request-Timestamp',
      timestampUnit: 'milliseconds',
      tolerance: '1m',
    },
    { secret: 'KEY', method: 'PUT' },
  );
  expect(response.status, response.text).toBe(201);
  const headersAt = (ms: number, method = 'PUT'): Headers => ({
    'x-request-timestamp': String(ms),
    'x-signature-v3': hmac('sha256', `${method}${weft.url}/webhooks/crm?a=1{}${ms}`, 'base64'),
  });
  expect(await sendForStatus('crm?a=1', '{}', headersAt(Date.now()), 'PUT')).toBe(200);
  expect(await sendForStatus('crm?a=2', '{}', headersAt(Date.now()), 'PUT')).toBe(401);
  expect(await sendForStatus('crm?a=1', '{}', headersAt(Date.now(), 'POST'), 'PUT')).toBe(401);
  expect(await sendForStatus('crm?a=1', '{}', headersAt(Date.now() - 61_000), 'PUT')).toBe(401);
});

test('several signatures in one header, of which one is valid', async () => {
  await activate('rotated', {
    type: 'hmac',
    header: 'Pay-Signature',
    algorithm: 'sha512',
    prefix: 'h1=',
    separator: ';',
    signed: '{time}:{body}',
    timestampPrefix: 'ts=',
  });
  const time = Math.floor(Date.now() / 1000);
  const good = `h1=${hmac('sha512', `${time}:{}`, 'hex')}`;
  const other = `h1=${'0'.repeat(128)}`;
  for (const header of [`ts=${time};${good}`, `ts=${time};${other};${good}`, `${good}; ts=${time}`])
    expect(await sendForStatus('rotated', '{}', { 'pay-signature': header }), header).toBe(200);
  for (const header of [
    `ts=${time};${other}`,
    `ts=${time - 1};${good}`,
    good,
    `ts=${time};${good.slice(3)}`,
    '',
  ])
    expect(await sendForStatus('rotated', '{}', { 'pay-signature': header }), header).toBe(401);
});

test('the older SHA-1 of the raw body, with the key in hex', async () => {
  await activate(
    'sha1',
    { type: 'hmac', header: 'X-Hub-Signature', algorithm: 'sha1', prefix: 'sha1=', secretEncoding: 'hex' },
    { secret: 'HEX_KEY' },
  );
  // Parsed and written again it would be other bytes.
  const raw = '{ "b":1,\n"a":"\\u00e9" }';
  expect(await sendForStatus('sha1', raw, { 'x-hub-signature': `sha1=${hmac('sha1', raw, 'hex')}` })).toBe(
    200,
  );
  expect(await sendForStatus('sha1', '{}', { 'x-hub-signature': `sha1=${hmac('sha1', raw, 'hex')}` })).toBe(
    401,
  );
});

test('Standard Webhooks with a public key', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  await activate(
    'asymmetric',
    {
      type: 'ed25519',
      header: 'webhook-signature',
      encoding: 'base64',
      prefix: 'v1a,',
      separator: ' ',
      signed: '{header:webhook-id}.{time}.{body}',
      timestampHeader: 'webhook-timestamp',
      idHeader: 'webhook-id',
    },
    { publicKey: publicKey.export({ type: 'spki', format: 'pem' }) },
  );
  const time = String(Math.floor(Date.now() / 1000));
  const signature = sign(null, Buffer.from(`msg_1.${time}.{}`), privateKey).toString('base64');
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': time,
    'webhook-signature': `v1,AAAA v1a,${signature}`,
  };
  expect(await sendForStatus('asymmetric', '{}', headers)).toBe(200);
  expect(await sendForStatus('asymmetric', '{}', { ...headers, 'webhook-id': 'msg_2' })).toBe(401);
  expect(await sendForStatus('asymmetric', '{"a":1}', headers)).toBe(401);
});

test('a replay without an id is recognized by the signed content', async () => {
  await activate('timed', {
    type: 'hmac',
    header: 'X-Signature',
    signed: '{time}.{body}',
    timestampHeader: 'X-Time',
  });
  const signed = (time: number): Headers => ({
    'x-time': String(time),
    'x-signature': hmac('sha256', `${time}.{}`, 'hex'),
  });
  const now = Math.floor(Date.now() / 1000);
  const readExecutionId = (response: ApiResponse): string | null =>
    response.headers.get('x-weft-execution-id');
  const first = await send('timed', '{}', signed(now));
  const replayed = await send('timed', '{}', { ...signed(now), 'idempotency-key': 'another' });
  const later = await send('timed', '{}', signed(now + 1));
  expect([first.status, replayed.status, later.status]).toEqual([200, 200, 200]);
  expect(readExecutionId(replayed)).toBe(readExecutionId(first));
  expect(readExecutionId(later)).not.toBe(readExecutionId(first));
});

test('a wrong configuration is refused with the name of its field', async () => {
  const response = await activate('wrong', { type: 'hmac', header: 'X-Signature', signed: '{time}.{body}' });
  expect(response.status).toBe(400);
  expect((response.body as { error: { details: object } }).error.details).toMatchObject({
    field: 'definition.nodes[0].config.verification.signed',
    issue: 'must not contain {time} without timestampHeader or timestampPrefix',
  });
});

test('a secret of fewer than 16 characters is refused', async () => {
  await api('PUT', '/secrets/SHORT', { body: { value: 'fifteen letters' } });
  const response = await activate('short', { type: 'token', header: 'X-Token' }, { secret: 'SHORT' });
  expect([response.status, response.text]).toEqual([400, expect.stringContaining('at least 16 characters')]);
});
