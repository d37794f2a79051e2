import { writeFileSync } from 'node:fs';
import { globalAgent } from 'node:https';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import MessageValidator from 'sns-validator';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';
import {
  SNS_HOST,
  signSns,
  snsCertificate,
  startSnsSender,
  type SnsFields,
  type SnsSender,
} from './sns-sender.ts';

/* Amazon SNS at the built program: signatures by certificate, and confirmations of subscriptions. */

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders';
const folder = createTempFolder();
let sns: SnsSender;
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  const caFile = path.join(folder.path, 'sns.pem');
  writeFileSync(caFile, snsCertificate);
  sns = await startSnsSender();
  weft = await spawnService({
    dataDir: path.join(folder.path, 'data'),
    env: { WEFT_HTTP_PROXY: sns.proxyUrl, WEFT_NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: caFile },
  });
  api = await weft.login();
  const definition = createEchoWorkflow('orders', {
    authentication: 'sender',
    preset: 'sns',
    topicArns: [TOPIC],
  });
  const created = await api('POST', '/workflows', { body: { name: 'orders', definition, status: 'active' } });
  expect(created.status, created.text).toBe(201);
});
afterEach(() => {
  sns.respond = null;
  sns.requests.length = 0;
});
afterAll(async () => {
  await weft?.kill9();
  await sns?.close();
  folder.remove();
});

function deliver(message: SnsFields): Promise<ApiResponse> {
  return weft.call('POST', '/webhooks/orders', {
    raw: JSON.stringify(message),
    // As Amazon sends it.
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': message['Type'] ?? '' },
  });
}

/** The result of Amazon's validator for a message: null, or the reason for its rejection. */
async function validate(message: SnsFields): Promise<Error | null> {
  const toSender = vi
    .spyOn(globalAgent, 'createConnection')
    .mockImplementation(() =>
      connectTls({ host: '127.0.0.1', port: sns.port, servername: SNS_HOST, ca: snsCertificate }),
    );
  try {
    return await new Promise((resolve) =>
      new MessageValidator().validate({ ...message }, (error) => resolve(error)),
    );
  } finally {
    toSender.mockRestore();
  }
}

test.each(['1', '2'] as const)(
  'a notification with a signature of version %s starts the workflow once',
  async (version) => {
    const message = signSns({ MessageId: `version-${version}`, Subject: 'Ä' }, version);
    expect(await validate(message)).toBeNull();
    const first = await deliver(message);
    expect([first.status, first.body], first.text).toEqual([200, { body: message }]);
    const again = await deliver(message);
    expect(again.headers.get('x-weft-execution-id')).toBe(first.headers.get('x-weft-execution-id'));
  },
);

test('a subscription to an expected topic is confirmed at Amazon, and starts nothing', async () => {
  const message = signSns({
    Type: 'SubscriptionConfirmation',
    Token: 'abc',
    SubscribeURL: `https://${SNS_HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=abc`,
  });
  expect(await validate(message)).toBeNull();
  const response = await deliver(message);
  expect([response.status, response.body]).toEqual([200, { confirmed: true }]);
  expect(response.headers.get('x-weft-execution-id')).toBeNull();
  expect(sns.requests.filter((one) => one.includes('ConfirmSubscription'))).toHaveLength(1);
});

describe('no message is accepted', () => {
  const changed = (fields: SnsFields): SnsFields => ({ ...signSns({}), ...fields });
  test.each<[string, () => SnsFields]>([
    ['that was changed', () => changed({ Message: '{"id":18}' })],
    ['whose signature is of another version', () => changed({ SignatureVersion: '1' })],
    ['without a signature', () => changed({ Signature: '' })],
    ['of another topic', () => signSns({ TopicArn: `${TOPIC}-2` })],
    ['that is a day old', () => signSns({ Timestamp: new Date(Date.now() - 86_500_000).toISOString() })],
    ['of tomorrow', () => signSns({ Timestamp: new Date(Date.now() + 86_400_000).toISOString() })],
    ['without a time', () => signSns({ Timestamp: 'x' })],
    ['of another type', () => signSns({ Type: 'Other' })],
  ])('%s', async (_, message) => {
    expect((await deliver(message())).status).toBe(401);
    expect(sns.requests.filter((one) => one.includes('Confirm'))).toEqual([]);
  });

  test.each([
    'https://sns.eu-west-1.amazonaws.com.example.net/SimpleNotificationService-1.pem',
    'https://example.net/SimpleNotificationService-1.pem',
    'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-1.pem',
    'https://user@sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-west-1.amazonaws.com/other.pem',
    'https://bucket.s3.amazonaws.com/SimpleNotificationService-1.pem',
    '',
  ])('whose certificate is at "%s", which is not fetched', async (url) => {
    expect((await deliver(signSns({ SigningCertURL: url }))).status).toBe(401);
    expect(sns.requests).toEqual([]);
  });

  test('that is not JSON, too large or nested too deeply', async () => {
    for (const raw of ['', '{', '[]', `{"Type":"Notification","x":${'['.repeat(20)}${']'.repeat(20)}}`]) {
      const response = await weft.call('POST', '/webhooks/orders', {
        raw,
        headers: { 'content-type': 'text/plain' },
      });
      expect(response.status, raw).toBe(401);
    }
    expect((await deliver(signSns({ Message: 'x'.repeat(2 * 1024 * 1024) }))).status).toBe(401);
  });
});

describe('Amazon is unreachable', () => {
  const certificate = (name: string): SnsFields => ({
    MessageId: name,
    SigningCertURL: `https://${SNS_HOST}/SimpleNotificationService-${name}.pem`,
  });
  test.each<[string, () => { status: number; body: string | Buffer }]>([
    ['answers with an error', () => ({ status: 503, body: '' })],
    ['redirects', () => ({ status: 302, body: '' })],
    ['gives something else', () => ({ status: 200, body: 'no certificate' })],
    ['gives too much', () => ({ status: 200, body: Buffer.alloc(1024 * 1024) })],
  ])('%s: the delivery fails so that it is made again, and is then taken', async (name, respond) => {
    const message = signSns(certificate(name.replaceAll(' ', '')));
    sns.respond = respond;
    expect((await deliver(message)).status).toBe(500);
    sns.respond = () => ({ status: 200, body: snsCertificate });
    expect((await deliver(message)).status).toBe(200);
  });

  test('a failed confirmation returns an error, so that Amazon retries', async () => {
    const message = signSns({
      Type: 'SubscriptionConfirmation',
      Token: 'later',
      SubscribeURL: `https://${SNS_HOST}/?Action=ConfirmSubscription&Token=later`,
    });
    sns.respond = (where) => ({ status: where.includes('Confirm') ? 503 : 200, body: snsCertificate });
    expect((await deliver(message)).status).toBe(500);
    sns.respond = null;
    expect((await deliver(message)).body).toEqual({ confirmed: true });
  });

  test('a confirmation URL on another host is rejected, and not requested', async () => {
    const message = signSns({
      Type: 'SubscriptionConfirmation',
      Token: 'abc',
      SubscribeURL: 'https://example.net/?Action=ConfirmSubscription',
    });
    expect((await deliver(message)).status).toBe(500);
    expect(sns.requests.filter((one) => one.includes('Confirm'))).toEqual([]);
  });
});
