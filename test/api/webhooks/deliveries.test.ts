import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../../support/time/clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { createTempFolder, type ApiResponse, type Call } from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

/*
 * Deliveries as their senders document them, with all headers, through the webhook API. Each is signed with
 * node:crypto as the sender's documentation describes. Where the documentation contains a signature, that one
 * is used.
 */

/** The time of the examples that have one (Slack's), so that a signature of long ago is one of now. */
const NOW_S = 1_531_420_618;
const clock = createTestClock(NOW_S * 1_000);
const folder = createTempFolder();
let weft: InProcess;
let api: Call;

type Headers = Record<string, string>;
type Sender = {
  scheme: string;
  secret: string;
  type: string;
  raw: string;
  /** The body that the execution receives. */
  body: unknown;
  headers: Headers;
  sign(raw: string, secret: string, time: number): Headers;
  /** The headers that the documentation shows for these bytes. */
  documented?: Headers;
  isTimed: boolean;
};

const hex = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');
const github = (raw: string, secret: string): Headers => ({
  'x-hub-signature-256': `sha256=${hex(secret, raw)}`,
});
const stripe = (raw: string, secret: string, time: number): Headers => ({
  // Stripe sends a v0 of test keys, too, which counts for nothing.
  'stripe-signature': `t=${time},v1=${hex(secret, `${time}.${raw}`)},v0=${hex('another', `${time}.${raw}`)}`,
});
const slack = (raw: string, secret: string, time: number): Headers => ({
  'x-slack-request-timestamp': String(time),
  'x-slack-signature': `v0=${hex(secret, `v0:${time}:${raw}`)}`,
});
const standard = (raw: string, secret: string, time: number): Headers => ({
  'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
  'webhook-timestamp': String(time),
  'webhook-signature': `v1,${createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`msg_2KWPBgLlAfxdpx2AI54pPJ85f4W.${time}.${raw}`)
    .digest('base64')}`,
});

const json = (value: unknown): { type: string; raw: string; body: unknown } => ({
  type: 'application/json',
  raw: JSON.stringify(value, null, 2),
  body: value,
});
const form = (raw: string): { type: string; raw: string; body: unknown } => ({
  type: 'application/x-www-form-urlencoded',
  raw,
  body: Object.fromEntries(new URLSearchParams(raw)),
});

const senders: Record<string, Sender> = {
  'GitHub: the example of its documentation': {
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    type: 'text/plain',
    raw: 'Hello, World!',
    body: 'Hello, World!',
    headers: {},
    sign: github,
    documented: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    isTimed: false,
  },
  'GitHub: an issue is opened': {
    scheme: 'github',
    secret: 'shared with GitHub',
    ...json({
      action: 'opened',
      issue: {
        url: 'https://api.github.com/repos/octocat/Hello-World/issues/1347',
        number: 1347,
        title: 'Ünïcödé',
      },
      repository: { id: 1296269, full_name: 'octocat/Hello-World', owner: { login: 'octocat', id: 1 } },
      sender: { login: 'octocat', id: 1 },
    }),
    headers: {
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'x-github-event': 'issues',
      'x-github-hook-id': '292430182',
      'x-github-hook-installation-target-id': '79929171',
      'x-github-hook-installation-target-type': 'repository',
      'x-hub-signature': 'sha1=7d38cdd689735b008b3c702edd92eea23791c5f6',
    },
    sign: github,
    isTimed: false,
  },
  'GitHub: the same as a form': {
    scheme: 'github',
    secret: 'shared with GitHub',
    ...form('payload=%7B%22action%22%3A%22opened%22%2C%22number%22%3A1347%7D'),
    headers: { 'x-github-event': 'issues', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0959' },
    sign: github,
    isTimed: false,
  },
  'Stripe: a payment has succeeded': {
    scheme: 'stripe',
    secret: 'whsec_5WXPr2Mz8hD1kq0tYJ6f3uCvB7nEaLsG',
    ...json({
      id: 'evt_3MtwBwLkdIwHu7ix28a3tqPa',
      object: 'event',
      api_version: '2022-11-15',
      created: NOW_S - 1,
      data: {
        object: {
          id: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
          object: 'payment_intent',
          amount: 2000,
          currency: 'usd',
        },
      },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type: 'payment_intent.succeeded',
    }),
    headers: {
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      accept: '*/*; q=0.5, application/xml',
    },
    sign: stripe,
    isTimed: true,
  },
  'Slack: a mention, from the Events API': {
    scheme: 'slack',
    secret: 'e6b19c573432dcc6b075501d51b51bb8',
    ...json({
      token: 'ZZZZZZWSxiZZZ2yIvs3peJ',
      team_id: 'T123ABC456',
      api_app_id: 'A123ABC456',
      event: {
        type: 'app_mention',
        user: 'U123ABC456',
        text: 'What is the hour of the pearl, <@U0LAN0Z89>?',
      },
      type: 'event_callback',
      event_id: 'Ev123ABC456',
      event_time: NOW_S,
    }),
    headers: { 'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)' },
    sign: slack,
    isTimed: true,
  },
  'Slack: a slash command, the example of its documentation': {
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    ...form(
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    ),
    headers: { 'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)' },
    sign: slack,
    documented: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    isTimed: true,
  },
  'Standard Webhooks: a contact was created': {
    scheme: 'standard',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ...json({
      type: 'contact.created',
      timestamp: '2018-07-12T18:36:58.344522Z',
      data: { id: '1f81eb52-5198-4599-803e-771906343485', email: 'ada@example.com' },
    }),
    headers: {},
    sign: standard,
    isTimed: true,
  },
};

beforeAll(async () => {
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
});
afterAll(async () => {
  await weft.service.stop();
  folder.remove();
});

let endpoints = 0;

describe.each(Object.entries(senders))('%s', (_name, sender) => {
  const { scheme, secret, type, raw, headers } = sender;
  const sign: Sender['sign'] = (...of) => sender.sign(...of);
  const path = `/webhooks/sender-${++endpoints}`;
  const name = `SENDER_${endpoints}`;
  let id: string;

  beforeAll(async () => {
    await api('PUT', `/secrets/${name}`, { body: { value: secret } });
    const definition = createEchoWorkflow(path.replace('/webhooks/', ''), {
      authentication: 'hmac',
      secret: name,
      scheme,
    });
    const response = await api('POST', '/workflows', { body: { name, definition, status: 'active' } });
    expect(response.status, response.text).toBe(201);
    ({ id } = response.body as { id: string });
  });

  const send = (signature: Headers, bytes: string | Uint8Array = raw): Promise<ApiResponse> =>
    weft.call('POST', path, { raw: bytes, headers: { 'content-type': type, ...headers, ...signature } });
  const total = async (): Promise<number> =>
    ((await api('GET', `/workflows/${id}/executions`)).body as { pagination: { total: number } }).pagination
      .total;

  test('starts an execution with the stored request', async () => {
    const signature = sign(raw, secret, NOW_S);
    expect(signature).toMatchObject(sender.documented ?? {});
    const response = await send(signature);
    expect([response.status, response.body], response.text).toEqual([200, { body: sender.body }]);
    expect(await total()).toBe(1);
  });

  test('is refused when any part of it is wrong, and not stored', async () => {
    const before = await total();
    const right = sign(raw, secret, NOW_S);
    const [last] = Object.keys(right).slice(-1) as [string];
    const middle = Math.floor(raw.length / 2);
    const bent = Buffer.from(raw);
    bent[middle] = (bent[middle] ?? 0) ^ 1;
    const wrong: Record<string, [Headers, (string | Uint8Array)?]> = {
      'no signature': [{}],
      'an empty signature': [{ ...right, [last]: '' }],
      'another secret': [sign(raw, 'whsec_bm90IHRoZSBzZWNyZXQgYXQgYWxs', NOW_S)],
      'a bit of the body is another': [right, bent],
      'one character more': [right, `${raw} `],
      'one character less': [right, raw.slice(0, -1)],
      'no body': [right, ''],
      'a cut signature': [{ ...right, [last]: right[last]!.replace(/(sha256=|v0=|v1[=,])../, '$1') }],
    };
    if (sender.isTimed) {
      wrong['five minutes old'] = [sign(raw, secret, NOW_S - 301)];
      wrong['five minutes ahead'] = [sign(raw, secret, NOW_S + 301)];
      const moved = sign(raw, secret, NOW_S - 301);
      for (const [header, value] of Object.entries(moved))
        moved[header] = value.replace(String(NOW_S - 301), String(NOW_S));
      wrong['an old signature with a new time'] = [moved];
      wrong['a time that is none'] = [sign(raw, secret, Number.NaN)];
    }
    for (const other of [github, stripe, slack, standard])
      if (other.name !== scheme)
        wrong[`signed as another sender does (${other.name})`] = [other(raw, secret, NOW_S)];
    for (const [why, [signature, bytes]] of Object.entries(wrong)) {
      const response = await send(signature, bytes);
      expect([why, response.status]).toEqual([why, 401]);
      expect(response.headers.get('x-weft-execution-id'), why).toBeNull();
      expect(response.text).not.toContain(secret);
    }
    expect(await total()).toBe(before);
  });
});
