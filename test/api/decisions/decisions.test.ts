import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseHeaders, startMailServer, type TestMailServer } from '../../support/servers/smtp-server.ts';
import { connectSocket } from '../../support/websocket/websocket-client.ts';
import { caller, waitUntil, type ApiResponse, type Call } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { manual } from '../definitions.ts';

type Decision = {
  id: string;
  title: string;
  status: string;
  choice: string | null;
  can_respond: boolean;
  execution_id: string;
  assignees: { email: string; choice: string | null; via: string | null; comment: string | null }[];
};
type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string } | null;
};

const service = useService();
let mail: TestMailServer;
let bob: Call;
let bobToken: string;
let eve: Call;
const PASSWORD = 'a password of twenty';

async function createUser(email: string): Promise<{ call: Call; token: string }> {
  await service.api('POST', '/users', { body: { email, password: PASSWORD, name: email } });
  const login = await service.weft.call('POST', '/auth/login', { body: { email, password: PASSWORD } });
  const { token } = login.body as { token: string };
  return { call: caller(service.weft.url, { authorization: `Bearer ${token}` }), token };
}

beforeAll(async () => {
  mail = await startMailServer();
  ({ call: bob, token: bobToken } = await createUser('bob@example.com'));
  ({ call: eve } = await createUser('eve@example.com'));
  await service.api('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
});
afterAll(() => mail.close());

const email = { credentials: '{{ secrets.MAIL }}', from: 'Weft <weft@example.com>' };

/** Starts `start` → `ask`, with a node behind each port, and returns the execution. */
async function ask(config: object, ports = ['approved', 'rejected'], input: object = {}): Promise<Execution> {
  const made = await service.api('POST', '/workflows', {
    body: {
      name: 'Expenses',
      definition: {
        nodes: [
          manual,
          { id: 'ask', type: 'approval', config: { title: 'Expense of {{ input.amount }} EUR', ...config } },
          ...ports.map((port) => ({ id: `to_${port}`, type: 'notify', config: { message: port } })),
        ],
        connections: [
          { from: 'start', to: 'ask' },
          ...ports.map((port) => ({ from: 'ask', sourcePort: port, to: `to_${port}` })),
        ],
      },
    },
  });
  expect(made.status, made.text).toBe(201);
  const started = await service.api('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
    body: { input: { amount: 250, ...input } },
  });
  expect(started.status, started.text).toBe(201);
  return started.body as Execution;
}
const read = async (id: string): Promise<Execution> =>
  (await service.api('GET', `/executions/${id}`)).body as Execution;
const reach = (id: string, status: string): Promise<Execution> =>
  waitUntil(
    () => read(id),
    (execution) => execution.status === status,
    20_000,
  );
async function inbox(call: Call, query = 'status=open'): Promise<Decision[]> {
  const response = await call('GET', `/decisions?${query}&limit=100`);
  expect(response.status, response.text).toBe(200);
  return (response.body as { decisions: Decision[] }).decisions;
}
const asked = async (call: Call, execution: Execution): Promise<Decision> => {
  const [found] = await waitUntil(
    async () => (await inbox(call)).filter(({ execution_id: id }) => id === execution.id),
    (list) => list.length === 1,
    20_000,
  );
  return found!;
};
const respond = (call: Call, { id }: Decision, choice: string, comment?: string): Promise<ApiResponse> =>
  call('POST', `/decisions/${id}/respond`, { body: { choice, ...(comment !== undefined && { comment }) } });
/** The nodes that ran behind the approval. */
async function ran(id: string): Promise<string[]> {
  const { body } = await service.api('GET', `/executions/${id}/nodes?limit=100`);
  const { nodes } = body as { nodes: { node_id: string; status: string }[] };
  return nodes
    .filter((run) => run.node_id.startsWith('to_') && run.status === 'completed')
    .map((run) => run.node_id);
}
async function linkOf(to: string, n = 1): Promise<string> {
  const found = await waitUntil(
    () => Promise.resolve(mail.received.filter((one) => one.to.includes(to))),
    (list) => list.length >= n,
  );
  const text = found.at(-1)!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return /https?:\/\/\S+\/v1\/decide\/\S+/.exec(text)![0];
}
const post = (link: string, fields: Record<string, string>): Promise<Response> =>
  fetch(link, { method: 'POST', body: new URLSearchParams(fields) });
const code = (response: ApiResponse): string => (response.body as { error: { code: string } }).error.code;

describe('with an account', () => {
  test('a user is asked, and the execution continues through the port of the choice', async () => {
    const execution = await ask({ message: 'A chair', assignees: ['bob@example.com'] });
    const decision = await asked(bob, execution);
    expect(decision).toMatchObject({
      title: 'Expense of 250 EUR',
      message: 'A chair',
      status: 'open',
      can_respond: true,
      workflow_name: 'Expenses',
      node_id: 'ask',
      choices: [{ name: 'approved', label: 'Approve' }, { name: 'rejected' }],
    });
    expect(await read(execution.id)).toMatchObject({ status: 'waiting' });
    const responded = await respond(bob, decision, 'rejected', ' Too dear ');
    expect(responded.body).toMatchObject({
      status: 'decided',
      choice: 'rejected',
      can_respond: false,
      assignees: [{ email: 'bob@example.com', choice: 'rejected', comment: 'Too dear', via: 'session' }],
    });
    const { output } = await reach(execution.id, 'completed');
    expect(JSON.stringify(output)).toContain('Too dear');
    expect(await inbox(bob, 'status=closed')).toMatchObject([{ id: decision.id }]);
    expect(await inbox(service.api, 'view=owned')).toMatchObject([{ id: decision.id }]);
  });

  test('the second response gets the person who decided; the same one again has no effect', async () => {
    const execution = await ask({ assignees: ['bob@example.com', 'eve@example.com'] });
    const decision = await asked(bob, execution);
    await respond(bob, decision, 'approved');
    expect((await respond(bob, decision, 'approved')).status).toBe(200);
    const late = await respond(eve, decision, 'rejected');
    expect(code(late)).toBe('CONFLICT');
    expect(late.text).toContain('This was decided by bob@example.com');
    expect((late.body as { error: { details: object } }).error.details).toMatchObject({
      choice: 'approved',
      decided_by: 'bob@example.com',
    });
  });

  test('100 simultaneous responses make one decision', async () => {
    const execution = await ask({ assignees: ['bob@example.com', 'eve@example.com'] });
    const decision = await asked(bob, execution);
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        respond(n % 2 ? bob : eve, decision, n % 3 ? 'approved' : 'rejected'),
      ),
    );
    expect(responses.every(({ status }) => status === 200 || status === 400)).toBe(true);
    const made = (await inbox(bob, 'status=closed')).find(({ id }) => id === decision.id)!;
    expect(made.assignees.filter(({ choice }) => choice !== null)).toHaveLength(1);
    await reach(execution.id, 'completed');
    expect(await ran(execution.id)).toEqual([`to_${made.choice}`]);
  });

  test('only a person who was asked sees it and responds, with the scope decisions:write', async () => {
    const decision = await asked(bob, await ask({ assignees: ['bob@example.com'] }));
    expect((await eve('GET', `/decisions/${decision.id}`)).status).toBe(404);
    expect((await respond(eve, decision, 'approved')).status).toBe(404);
    // The owner of the execution sees it.
    expect((await service.api('GET', `/decisions/${decision.id}`)).body).toMatchObject({
      can_respond: false,
    });
    expect((await respond(service.api, decision, 'approved')).status).toBe(403);
    const key = await bob('POST', '/api-keys', { body: { name: 'k', scopes: ['executions:read'] } });
    const limited = caller(service.weft.url, { 'x-api-key': (key.body as { key: string }).key });
    expect((await limited('GET', `/decisions/${decision.id}`)).status).toBe(200);
    const refused = await respond(limited, decision, 'approved');
    expect([refused.status, code(refused)]).toEqual([403, 'FORBIDDEN']);
  });

  test('two of three people must approve', async () => {
    const execution = await ask({
      assignees: ['bob@example.com', 'eve@example.com', 'role:admin'],
      policy: 'at_least',
      required: 2,
    });
    const decision = await asked(bob, execution);
    expect(decision.assignees).toHaveLength(3);
    expect((await respond(bob, decision, 'approved')).body).toMatchObject({
      status: 'open',
      can_respond: false,
    });
    expect(code(await respond(bob, decision, 'rejected'))).toBe('CONFLICT');
    expect((await respond(service.api, decision, 'approved')).body).toMatchObject({ status: 'decided' });
    await reach(execution.id, 'completed');
  });

  test('the owner is asked by default', async () => {
    const execution = await ask({ title: 'Mine' });
    const decision = await asked(service.api, execution);
    await respond(service.api, decision, 'approved');
    await reach(execution.id, 'completed');
  });

  test('GraphQL and the WebSocket have the same', async () => {
    const socket = await connectSocket(service.weft.url);
    await socket.auth(bobToken);
    const execution = await ask({ assignees: ['bob@example.com'] });
    const opened = await socket.next('decision');
    expect(opened.data).toMatchObject({ execution_id: execution.id, status: 'open', assigned: true });
    const query = `query { decisions(status: "open") { decisions { id title assignees { email } } } }`;
    const listed = await bob('POST', '/graphql', { body: { query } });
    expect(listed.text).toContain(opened.data!['decision_id']);
    const mutation = `mutation ($id: ID!) { respondToDecision(id: $id, input: {choice: "approved"}) { status choice } }`;
    const variables = { id: opened.data!['decision_id'] };
    const responded = await bob('POST', '/graphql', { body: { query: mutation, variables } });
    expect(responded.body).toMatchObject({
      data: { respondToDecision: { choice: 'approved' } },
    });
    expect((await socket.next('decision')).data).toMatchObject({ status: 'decided', choice: 'approved' });
    socket.socket.close();
    await reach(execution.id, 'completed');
  });
});

describe('by a link', () => {
  test('only a POST decides, once, and the page shows the result', async () => {
    const execution = await ask({ assignees: ['guest@example.com'], email, message: '<b>bold</b>' });
    const link = await linkOf('guest@example.com');
    expect(parseHeaders(mail.received.at(-1)!.raw).get('subject')).toBe('Expense of 250 EUR');
    for (const method of ['HEAD', 'GET', 'GET']) {
      const page = await fetch(link, { method });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    }
    const text = await (await fetch(link)).text();
    expect(text).toContain('&lt;b&gt;bold&lt;/b&gt;');
    await reach(execution.id, 'waiting');

    const wrong = await post(link, { choice: 'maybe', comment: 'kept' });
    expect([wrong.status, (await wrong.text()).includes('kept</textarea>')]).toEqual([400, true]);
    const [one, two] = await Promise.all([
      post(link, { choice: 'approved' }),
      post(link, { choice: 'approved' }),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const late = await post(link, { choice: 'rejected' });
    expect(late.status).toBe(400);
    expect(await late.text()).toContain('Decided: <strong>Approve</strong>');
    await reach(execution.id, 'completed');
    expect(await ran(execution.id)).toEqual(['to_approved']);
    expect(await (await fetch(link)).text()).not.toContain('<button');
  });

  test('why a response is refused is in the language of the person', async () => {
    const before = mail.received.filter((one) => one.to.includes('guest@example.com')).length;
    await ask({ assignees: ['guest@example.com', 'admin@example.com'], policy: 'everyone', email });
    const link = await linkOf('guest@example.com', before + 1);
    const send = async (choice: string): Promise<string> => {
      const headers = { 'accept-language': 'de' };
      const body = new URLSearchParams({ choice });
      return (await fetch(link, { method: 'POST', headers, body })).text();
    };
    expect(await send('approved')).toContain('Ihre Antwort: <strong>Approve</strong>');
    expect(await send('rejected')).toContain('Sie haben bereits geantwortet: Approve. Ihre erste Antwort');
    const [decision] = await inbox(service.api, 'view=assigned&status=open');
    await respond(service.api, decision!, 'rejected');
    const late = await send('rejected');
    expect(late).toContain('Die Entscheidung war bereits abgeschlossen');
    expect(late).not.toMatch(/already|decided by/);
  });

  test('a changed link is refused', async () => {
    const link = await linkOf('guest@example.com');
    for (const changed of [
      `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`,
      `${link}x`,
      link.replace('/decide/', '/decide/x'),
    ]) {
      const page = await post(changed, { choice: 'approved' });
      expect([page.status, (await page.text()).includes('This link is not valid')]).toEqual([404, true]);
    }
  });

  test('a demoted or deleted user cannot respond by the link', async () => {
    const { body } = await service.api('POST', '/users', {
      body: { email: 'zoe@example.com', password: PASSWORD, name: 'Zoe', role: 'admin' },
    });
    const { id } = body as { id: string };
    const execution = await ask({ assignees: ['role:admin'], email });
    const link = await linkOf('zoe@example.com');
    await service.api('PUT', `/users/${id}`, { body: { role: 'member' } });
    const demoted = await post(link, { choice: 'approved' });
    expect([demoted.status, (await demoted.text()).includes('needs the role admin')]).toEqual([403, true]);
    await service.api('DELETE', `/users/${id}`);
    const deleted = await post(link, { choice: 'approved' });
    expect([deleted.status, (await deleted.text()).includes('account of this link was deleted')]).toEqual([
      403,
      true,
    ]);
    expect(await read(execution.id)).toMatchObject({ status: 'waiting' });
  });

  test('a title that would be another header is one line', async () => {
    const sent = mail.received.length;
    await ask({ title: '{{ input.title }}', email }, ['approved'], { title: 'a\r\nBcc: x@example.com' });
    const [message] = await waitUntil(
      () => Promise.resolve(mail.received.slice(sent)),
      (found) => found.length > 0,
    );
    const headers = parseHeaders(message!.raw);
    expect(headers.get('bcc')).toBeUndefined();
    expect(headers.get('subject')).toContain('a Bcc: x@example.com');
  });

  test('a person without an account needs an e-mail', async () => {
    const failed = await reach((await ask({ assignees: ['stranger@example.com'] })).id, 'failed');
    expect(failed.error?.message).toContain(
      'email: is required, because stranger@example.com has no account',
    );
  });
});

describe('time', () => {
  test('the deadline has its own port', async () => {
    const execution = await ask({ deadline: '1s' }, ['approved', 'expired']);
    const decision = await asked(service.api, execution);
    await reach(execution.id, 'completed');
    expect(await ran(execution.id)).toEqual(['to_expired']);
    const late = await respond(service.api, decision, 'approved');
    expect([code(late), late.text.includes('The deadline passed')]).toEqual(['CONFLICT', true]);
  });

  test('without that port, the node fails', async () => {
    const failed = await reach((await ask({ deadline: '1s' }, ['approved'])).id, 'failed');
    expect(failed.error).toMatchObject({ type: 'timeout', message: 'No decision was made within 1s.' });
  });

  test('reminders and an escalation are sent once each', async () => {
    const execution = await ask({
      assignees: ['slow@example.com'],
      email,
      reminders: ['1s', '2s'],
      escalation: { after: '3s', assignees: ['boss@example.com'] },
      deadline: '1h',
    });
    const boss = await linkOf('boss@example.com');
    const subjects = mail.received
      .filter(({ to }) => to.includes('slow@example.com'))
      .map(({ raw }) => parseHeaders(raw).get('subject'));
    expect(subjects).toEqual([
      'Expense of 250 EUR',
      'Reminder: Expense of 250 EUR',
      'Reminder: Expense of 250 EUR',
    ]);
    expect((await post(boss, { choice: 'approved' })).status).toBe(200);
    await reach(execution.id, 'completed');
    expect(mail.received.filter(({ to }) => to.includes('boss@example.com'))).toHaveLength(1);
  });

  test('a decision of an execution that is stopped is cancelled', async () => {
    const execution = await ask({ title: 'Stopped' });
    const decision = await asked(service.api, execution);
    await service.api('POST', `/executions/${execution.id}/stop`);
    await reach(execution.id, 'stopped');
    expect((await service.api('GET', `/decisions/${decision.id}`)).body).toMatchObject({
      status: 'cancelled',
    });
    expect(code(await respond(service.api, decision, 'approved'))).toBe('CONFLICT');
  });
});

test('wrong configurations are refused with the field', async () => {
  const check = async (config: object): Promise<string> => {
    const response = await service.api('POST', '/workflows', {
      body: {
        name: 'x',
        dry_run: true,
        definition: {
          nodes: [manual, { id: 'ask', type: 'approval', config: { title: 'x', ...config } }],
          connections: [{ from: 'start', to: 'ask' }],
        },
      },
    });
    return response.text;
  };
  expect(await check({ assignees: ['nobody'] })).toContain('must be an e-mail address or one of: role:admin');
  expect(await check({ policy: 'at_least' })).toContain('is required for the policy at_least');
  expect(await check({ timeout: '5s' })).toContain('is not supported by an approval; use deadline');
  expect(await check({ required: 2 })).toContain('is only supported by the policy at_least');
  expect(await check({ choices: [{ name: 'yes', label: 'Yes' }] })).toContain('choices');
  expect(
    await check({
      choices: [
        { name: 'expired', label: 'a' },
        { name: 'b', label: 'b' },
      ],
    }),
  ).toContain('must not be expired');
  expect(await check({ reminders: ['2d', '1d'], email })).toContain(
    'must be longer than the reminder before it',
  );
  expect(await check({ reminders: ['2d'] })).toContain('is required for reminders');
  expect(await check({ email: { credentials: 'smtp://u:p@h', from: 'x' } })).toContain('email.credentials');
});
