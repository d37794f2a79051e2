import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMessage, startMailboxFixture, type MailboxFixture } from '../../support/mailbox-fixture.ts';
import {
  startFakeImapServer,
  type FakeImapServer,
  type ImapReply,
} from '../../support/servers/fake-imap-server.ts';
import { imapProgram } from '../../support/servers/imap-server.ts';
import { expiredCertificate, expiredKey } from '../../support/servers/tls-certificates.ts';
import { waitUntil } from '../../support/service.ts';

/* The imap node and email trigger failures: the built service with Dovecot or a misbehaving server. */

type Ran = {
  status: string;
  output: Record<string, unknown>;
  error: { type: string; message: string; node_id: string };
};

/** Runs one imap node. */
async function run(mail: MailboxFixture, config: Record<string, unknown>, input: unknown = {}): Promise<Ran> {
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'box', type: 'imap', config: { ...mail.account(), ...config } },
    ],
    connections: [{ from: 'start', to: 'box' }],
  };
  const made = await mail.call('POST', '/workflows', { body: { name: 'Mail', definition } });
  expect(made.status, made.text).toBe(201);
  const { id, issues } = made.body as { id: string; issues?: unknown[] };
  expect(issues ?? []).toEqual([]);
  const started = await mail.call('POST', `/workflows/${id}/execute`, { body: { input } });
  expect(started.status, started.text).toBe(201);
  return waitUntil(
    async () => (await mail.call('GET', `/executions/${(started.body as { id: string }).id}`)).body as Ran,
    ({ status }) => status === 'completed' || status === 'failed',
  );
}

describe.skipIf(imapProgram === null)('the imap node', () => {
  let mail: MailboxFixture;
  beforeAll(async () => {
    mail = await startMailboxFixture();
    mail.imap.deliver(createMessage({ Subject: 'first', 'Message-ID': '<1@x>' }, 'needle\r\n'));
    mail.imap.deliver(createMessage({ Subject: 'second', From: 'Eve <eve@example.com>' }));
    mail.imap.deliver(createMessage({ Subject: 'third' }), { receivedAt: new Date('2020-02-03T12:00:00Z') });
  });
  afterAll(() => mail.close());

  const search = async (criteria: Record<string, unknown>): Promise<unknown[]> => {
    const { output, error } = await run(mail, { operation: 'search', ...criteria });
    expect(error).toBeNull();
    return (output['messages'] as { subject: string }[]).map(({ subject }) => subject);
  };

  test('searches by every condition, newest first', async () => {
    expect(await search({})).toEqual(['second', 'first', 'third']);
    expect(await search({ limit: 2 })).toEqual(['second', 'first']);
    expect(await search({ from: 'eve@' })).toEqual(['second']);
    expect(await search({ subject: 'FIRST' })).toEqual(['first']);
    expect(await search({ text: 'needle' })).toEqual(['first']);
    expect(await search({ message_id: '<1@x>' })).toEqual(['first']);
    expect(await search({ before: '2020-02-04' })).toEqual(['third']);
    expect(await search({ since: '2020-02-04', to: 'orders' })).toEqual(['second', 'first']);
    expect(await search({ subject: 'none of them' })).toEqual([]);
    expect(await search({ flagged: true })).toEqual([]);
    const whole = await run(mail, { operation: 'search', subject: 'first', content: true });
    expect(whole.output).toMatchObject({ total: 1, messages: [{ text: 'needle\n', attachments: [] }] });
  });

  test('gets, flags and moves messages; a missing one is skipped or an error that names the node', async () => {
    const { output } = await run(mail, { operation: 'search', subject: 'second' });
    const [{ uid, uid_validity: validity }] = output['messages'] as [{ uid: number; uid_validity: string }];
    const config = { uid: '{{ input.uid }}', uid_validity: validity };
    const message = await run(mail, { operation: 'get', ...config }, { uid });
    expect(message.output).toMatchObject({ uid, subject: 'second', flags: [], text: 'Hello\n' });
    const flag = { operation: 'flag', uids: '{{ input.uids }}', add: ['\\Seen', '\\Flagged', 'done'] };
    expect((await run(mail, flag, { uids: [uid, 9_999] })).output).toEqual({ flagged: [uid] });
    expect(await search({ flagged: true })).toEqual(['second']);
    expect(await search({ unseen: true })).toEqual(['first', 'third']);
    await run(mail, { operation: 'flag', uids: uid, remove: ['\\Flagged'] });
    expect(await search({ flagged: true })).toEqual([]);
    const move = { operation: 'move', uids: uid, move_to: 'Archive' };
    expect((await run(mail, move)).output).toEqual({ moved: [uid] });
    expect((await run(mail, move)).output).toEqual({ moved: [] });
    expect(await search({ mailbox: 'Archive' })).toEqual(['second']);
    expect((await run(mail, { operation: 'get', ...config }, { uid })).error).toMatchObject({
      type: 'validation',
      node_id: 'box',
      message: `uid: must be a message of the mailbox; ${uid} does not exist`,
    });
    expect((await run(mail, { operation: 'get', uid, uid_validity: '1' })).error).toMatchObject({
      message: expect.stringMatching(/^uid_validity: must be \d+: the server has assigned new UIDs/),
    });
  });

  test('fails with a clear error for a mailbox that does not exist, and a message that is too large', async () => {
    expect((await run(mail, { operation: 'search', mailbox: 'Nowhere' })).error).toMatchObject({
      type: 'validation',
      node_id: 'box',
      message: expect.stringContaining('mailbox: does not exist on 127.0.0.1'),
    });
    const [uid] = (
      (await run(mail, { operation: 'search', subject: 'first' })).output['messages'] as { uid: number }[]
    ).map((one) => one.uid);
    expect((await run(mail, { operation: 'move', uids: uid, move_to: 'Nowhere' })).error).toMatchObject({
      type: 'validation',
      message: expect.stringContaining('move_to: does not exist on 127.0.0.1'),
    });
    mail.imap.deliver(createMessage({ Subject: 'huge' }, `${'x'.repeat(76)}\r\n`.repeat(500_000)));
    const [huge] = (await run(mail, { operation: 'search', subject: 'huge' })).output['messages'] as {
      uid: number;
    }[];
    expect((await run(mail, { operation: 'get', uid: huge!.uid })).error).toMatchObject({
      type: 'limit',
      node_id: 'box',
      message: expect.stringMatching(/^uid: must be a message of at most 37748736 bytes, not 3\d{7}$/),
    });
  });

  test('refuses a line break in a text before a connection, naming the field', async () => {
    const search = { operation: 'search', subject: '{{ input.subject }}' };
    for (const subject of ['a\r\nA1 LOGOUT', 'a\0b'])
      expect((await run(mail, search, { subject })).error).toMatchObject({
        type: 'validation',
        node_id: 'box',
        message: 'subject: must not contain line breaks or NUL',
      });
  });

  test('reports a wrong password without showing it', async () => {
    await mail.call('PUT', '/secrets/WRONG', { body: { value: 'canary-wrong-password' } });
    const { error } = await run(mail, { operation: 'search', password: '{{ secrets.WRONG }}' });
    expect(error).toMatchObject({ type: 'client_error', node_id: 'box' });
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ rejected the user name, password or token/);
    const id = await mail.addTrigger({ password: '{{ secrets.WRONG }}' });
    const { last_error: issue } = await mail.trigger(id);
    expect(issue).toMatch(/rejected the user name, password or token/);
    expect(JSON.stringify([error, issue, mail.service.logs()])).not.toContain('canary');
  });

  test.each([
    [{ host: 'imap.example.com:993' }, 'config.host', /must be a host name or an IP address/],
    [{ password: 'plain' }, 'config.password', /must be a stored secret/],
    [{ password: undefined }, 'config.password', /is required unless connection is set/],
    [{ since: '31.1.2026' }, 'config.since', /must be a date such as 2026-01-31/],
    [{ subject: 'a\nb' }, 'config.subject', /must not contain line breaks/],
    [{ interval: undefined }, 'config.cron', /is required unless interval is set/],
    [{ interval: '10ms' }, 'config.interval', /must be at least 1s/],
    [{ move_to: 'INBOX' }, 'config.move_to', /must be another mailbox/],
  ])('errors are reported when it is saved: %j', async (change, field, issue) => {
    const config = { triggerType: 'email', ...mail.account(), interval: '1m', ...change };
    const definition = { nodes: [{ id: 'inbox', type: 'trigger', config }], connections: [] };
    const made = await mail.call('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
    expect([made.status, made.text]).toEqual([400, expect.stringMatching(issue)]);
    expect(made.text).toContain(field);
  });

  describe('with a server that misbehaves', () => {
    let fake: FakeImapServer | null = null;
    afterEach(async () => {
      await fake?.close();
      fake = null;
    });
    const start = async (reply: ImapReply): Promise<{ port: number }> => {
      fake = await startFakeImapServer(reply);
      return { port: fake.port };
    };

    test.each<[string, ImapReply, RegExp]>([
      [
        'ends the connection at the login',
        ({ name }) => (name === 'AUTHENTICATE' || name === 'LOGIN' ? null : undefined),
        /closed the connection/,
      ],
      [
        'ends the connection when the mailbox is opened',
        ({ name }) => (name === 'EXAMINE' ? null : undefined),
        /closed the connection/,
      ],
      [
        'ends the connection in the middle of a message',
        ({ name, rest }, socket) => {
          if (name !== 'UID' || !rest.startsWith('FETCH')) return undefined;
          socket.end('* 1 FETCH (UID 1 BODY[] {1000}\r\nFrom: a');
          return '';
        },
        /closed the connection/,
      ],
      [
        'responds with HTTP',
        ({ name }, socket) => {
          if (name !== 'EXAMINE') return undefined;
          socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
          return '';
        },
        /did not respond with IMAP|closed the connection/,
      ],
      [
        'announces an endless message',
        ({ name, rest }) =>
          name === 'UID' && rest.startsWith('FETCH') ? '* 1 FETCH (UID 1 BODY[] {4000000000}\r\n' : undefined,
        /sent a response that is too large/,
      ],
      [
        'refuses with a reply',
        ({ tag, name }) => (name === 'EXAMINE' ? `${tag} NO [UNAVAILABLE] later\r\n` : undefined),
        /cannot serve the request now: later/,
      ],
    ])('%s', async (_what, reply, message) => {
      const { error } = await run(mail, { operation: 'get', uid: 1, ...(await start(reply)) });
      expect(error).toMatchObject({ node_id: 'box', message: expect.stringMatching(message) });
    });

    test('repeats the password in its reply: it is redacted', async () => {
      const reply: ImapReply = ({ tag, name }) =>
        name === 'AUTHENTICATE' || name === 'LOGIN'
          ? `${tag} NO [AUTHENTICATIONFAILED] not ${mail.imap.password}\r\n`
          : undefined;
      const { error } = await run(mail, { operation: 'get', uid: 1, ...(await start(reply)) });
      expect(error.message).toMatch(/rejected the user name, password or token/);
      expect(JSON.stringify(error)).not.toContain(mail.imap.password);
    });

    test('a trigger continues after the server was away', async () => {
      let isAway = true;
      const trigger = await mail.addTrigger(await start(() => (isAway ? null : undefined)));
      expect((await mail.trigger(trigger)).last_error).toMatch(/closed the connection/);
      isAway = false;
      const body = { status: 'inactive' };
      expect((await mail.call('PUT', `/workflows/${trigger}`, { body })).status).toBe(200);
      expect((await mail.call('PUT', `/workflows/${trigger}`, { body: { status: 'active' } })).status).toBe(
        200,
      );
      await waitUntil(
        () => mail.trigger(trigger),
        ({ last_error: error }) => error === null,
      );
    });
  });
});

describe.skipIf(imapProgram === null)('a connection to a mail server', () => {
  let mail: MailboxFixture | null = null;
  afterEach(async () => {
    await mail?.close();
    mail = null;
  });

  test('is refused when the certificate has expired', async () => {
    mail = await startMailboxFixture({ tls: { certificate: expiredCertificate, key: expiredKey } });
    for (const config of [{}, { port: mail.imap.plainPort, tls: 'starttls' }]) {
      const { error } = await run(mail, { operation: 'search', ...config });
      expect(error).toMatchObject({
        type: 'network',
        node_id: 'box',
        message: expect.stringContaining('could not be reached securely (CERT_HAS_EXPIRED)'),
      });
    }
    const id = await mail.addTrigger();
    expect((await mail.trigger(id)).last_error).toContain('CERT_HAS_EXPIRED');
  });

  test('is refused to a private address that the operator has not allowed', async () => {
    mail = await startMailboxFixture({ env: { WEFT_ALLOWED_HOSTS: '' } });
    const { error } = await run(mail, { operation: 'search' });
    expect(error).toMatchObject({
      type: 'forbidden',
      node_id: 'box',
      message: expect.stringContaining('WEFT_ALLOWED_HOSTS'),
    });
    const id = await mail.addTrigger();
    expect((await mail.trigger(id)).last_error).toContain('private or reserved address');
    expect(mail.imap.log()).not.toContain('Login:');
  });
});
