import { createHmac } from 'node:crypto';
import { serve } from './http-server.ts';

export type SlackBlock = { type: string; block_id?: string; text?: { text: string } } & Record<
  string,
  unknown
>;
export type SlackMessage = { channel: string; ts: string; text: string; blocks: SlackBlock[] };
type Button = { action_id: string; value?: string; url?: string; text: { text: string } };
export type SlackUser = { id: string; email: string | null; profile?: Record<string, unknown> };
type Failure = { status?: number; body: object; headers?: Record<string, string> };

export const SLACK_TOKEN = 'xoxb-1234-abcd';
export const SLACK_SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const TEAM = 'T0TEAM';

/** Slack's Web API, as far as approvals use it, on 127.0.0.1. */
export async function startFakeSlack() {
  const messages: SlackMessage[] = [];
  const ephemerals: (SlackMessage & { user: string })[] = [];
  const updates: SlackMessage[] = [];
  /** By `ts`, also of updates that failed. */
  const updateTries = new Map<string, number>();
  const users = new Map<string, SlackUser>();
  /** By method: responses to the next calls, instead of the successful ones. */
  const failures = new Map<string, (Failure | 'hang')[]>();
  const channels = new Map<string, string>();
  const calls: string[] = [];
  let clock = 1_700_000_000;

  const server = await serve((request, response, raw) => {
    const url = new URL(request.url ?? '', 'http://slack.invalid');
    const method = url.pathname.replace(/^\/api\//, '');
    calls.push(method);
    const send = (body: object, status = 200, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    const body = (raw === '' ? {} : JSON.parse(Buffer.from(raw, 'latin1').toString())) as SlackMessage & {
      user: string;
    };
    if (method === 'chat.update') updateTries.set(body.ts, (updateTries.get(body.ts) ?? 0) + 1);
    const failure = failures.get(method)?.shift();
    if (failure === 'hang') return;
    if (failure !== undefined) return send(failure.body, failure.status, failure.headers);
    if (request.headers.authorization !== `Bearer ${SLACK_TOKEN}`)
      return send({ ok: false, error: 'invalid_auth' });
    if (method === 'users.info') {
      const user = users.get(url.searchParams.get('user') ?? '');
      if (user === undefined) return send({ ok: false, error: 'user_not_found' });
      const { id, email, profile = {} } = user;
      return send({
        ok: true,
        user: { id, team_id: TEAM, ...profile, profile: email === null ? {} : { email } },
      });
    }
    if (method === 'chat.postMessage') {
      const channel = channels.get(body.channel) ?? `C${channels.size + 1}`;
      channels.set(body.channel, channel);
      const message = { ...body, channel, ts: `${clock++}.000100` };
      messages.push(message);
      return send({ ok: true, channel, ts: message.ts, message: {} });
    }
    if (method === 'chat.postEphemeral') {
      ephemerals.push(body);
      return send({ ok: true, message_ts: `${clock++}.000100` });
    }
    if (method !== 'chat.update') return send({ ok: false, error: 'unknown_method' });
    const message = messages.find(({ channel, ts }) => channel === body.channel && ts === body.ts);
    if (message === undefined) return send({ ok: false, error: 'message_not_found' });
    updates.push(body);
    Object.assign(message, body);
    return send({ ok: true, channel: body.channel, ts: body.ts, text: body.text });
  });

  /** The request that Slack sends when a user clicks a button. */
  function createClick(
    { channel, ts, blocks }: SlackMessage,
    user: string,
    label: string,
    { secret = SLACK_SIGNING_SECRET, at = Date.now(), headers = {}, payload = {} }: ClickOptions = {},
  ): Click {
    const block = blocks.find(({ type }) => type === 'actions');
    const button = (block?.['elements'] as Button[] | undefined)?.find(({ text }) => text.text === label);
    if (block === undefined || button === undefined) throw new Error(`The message has no button ${label}`);
    const body = new URLSearchParams({
      payload: JSON.stringify({
        type: 'block_actions',
        team: { id: TEAM, domain: 'test' },
        user: { id: user, username: 'someone', team_id: TEAM },
        api_app_id: 'A1',
        container: { type: 'message', message_ts: ts, channel_id: channel },
        channel: { id: channel, name: 'approvals' },
        message: { type: 'message', ts },
        response_url: 'https://hooks.slack.com/actions/T0/1/x',
        actions: [
          {
            type: 'button',
            block_id: block.block_id,
            action_id: button.action_id,
            value: button.value,
            text: button.text,
          },
        ],
        ...payload,
      }),
    }).toString();
    const time = String(Math.floor(at / 1000));
    const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
    return {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': time,
        'x-slack-signature': `v0=${signature}`,
        ...headers,
      },
      body,
    };
  }

  return {
    /** The content of the secret for the node. */
    credentials: JSON.stringify({ token: SLACK_TOKEN, base_url: `${server.url}/api` }),
    messages,
    ephemerals,
    updates,
    updateTries,
    calls,
    addUser: (user: SlackUser): void => void users.set(user.id, user),
    fail(method: string, ...next: (Failure | 'hang')[]): void {
      failures.set(method, [...(failures.get(method) ?? []), ...next]);
    },
    createClick,
    close: () => server.close(),
  };
}

export type Click = { method: 'POST'; headers: Record<string, string>; body: string };
export type ClickOptions = {
  secret?: string;
  /** ms since the epoch. */
  at?: number;
  headers?: Record<string, string>;
  payload?: Record<string, unknown>;
};
export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>;
