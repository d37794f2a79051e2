import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailServer, type TestMailServer } from '../../support/servers/smtp-server.ts';
import { caller, waitUntil, type ApiResponse, type Call } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { manual } from '../definitions.ts';

/*
 * The message of a decision in Markdown, and its attachments: in the API, on the page of a link, and in the
 * e-mail.
 */

type Attachment = { id: string; name: string; content_type: string; size: number };
type Decision = { id: string; status: string; message: string; attachments: Attachment[] };
type Execution = { id: string; status: string; error: { message: string } | null };
type Mail = { subject: string; text: string; html: string; link: string };

const service = useService();
let mail: TestMailServer;
let bob: Call;
let eve: Call;
const PASSWORD = 'a password of twenty';

async function createUser(email: string, role = 'member'): Promise<Call> {
  await service.api('POST', '/users', { body: { email, password: PASSWORD, name: email, role } });
  const login = await service.weft.call('POST', '/auth/login', { body: { email, password: PASSWORD } });
  const { token } = login.body as { token: string };
  return caller(service.weft.url, { authorization: `Bearer ${token}` });
}

beforeAll(async () => {
  mail = await startMailServer();
  bob = await createUser('bob@example.com');
  eve = await createUser('eve@example.com');
  await service.api('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
});
afterAll(() => mail.close());

const email = { credentials: '{{ secrets.MAIL }}', from: 'Weft <weft@example.com>' };
const zip = (id: string, filename: string, content: string) => ({
  id,
  type: 'zip',
  config: { operation: 'create', files: [{ path: 'a.txt', content }], filename },
});

/** Two files are made, and the approval names them or not. */
async function start(config: object, input: object = {}): Promise<Execution> {
  const definition = {
    nodes: [
      manual,
      zip('offer', 'Offer <b> “1”.zip', 'the offer'),
      zip('salaries', 'salaries.zip', 'not attached'),
      { id: 'ask', type: 'approval', config: { title: 'Trip to {{ trigger.place }}', ...config } },
    ],
    connections: [
      { from: 'start', to: 'offer' },
      { from: 'offer', to: 'salaries' },
      { from: 'salaries', to: 'ask' },
    ],
  };
  const made = await service.api('POST', '/workflows', { body: { name: 'Trips', definition } });
  expect(made.status, made.text).toBe(201);
  const started = await service.api('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
    body: { input: { place: 'Ghent', ...input } },
  });
  expect(started.status, started.text).toBe(201);
  return started.body as Execution;
}
const reach = (id: string, status: string): Promise<Execution> =>
  waitUntil(
    async () => (await service.api('GET', `/executions/${id}`)).body as Execution,
    (one) => one.status === status,
  );
async function findDecision({ id }: Execution): Promise<Decision> {
  await reach(id, 'waiting');
  const { body } = await service.api('GET', '/decisions?view=owned&limit=100');
  const { decisions } = body as { decisions: (Decision & { execution_id: string })[] };
  return decisions.find((one) => one.execution_id === id)!;
}
async function readMail(decision: Decision): Promise<Mail> {
  const { raw } = await waitUntil(
    () => Promise.resolve(mail.received.find((one) => one.raw.includes(decision.id))!),
    (found) => found !== undefined,
  );
  const { subject = '', text = '', html } = await simpleParser(raw);
  const link = /open this page:\n(http\S+)/.exec(text)![1]!;
  return { subject, text, html: String(html), link };
}
const cancel = (call: Call, id: string): Promise<ApiResponse> =>
  call('POST', `/decisions/${id}/respond`, { body: { choice: 'rejected' } });

describe('the message', () => {
  const message = [
    '## Cost',
    'For **{{ trigger.who }}**:',
    '',
    '| Item | EUR |',
    '|---|---|',
    '| Hotel | {{ trigger.hotel }} |',
    '',
    '[Rules](https://example.com/rules?a=1&b=2) ![logo](https://evil.example/pixel.png) <b>raw</b> [x](javascript:alert(1))',
  ].join('\n');
  const attack =
    '[Approve](https://evil.example) <script>alert(1)</script> **bold**\n# Approved already\n- item';

  test('is Markdown, in which values of the execution stay text', async () => {
    const execution = await start(
      { message, assignees: ['guest@elsewhere.example'], email },
      { who: attack, hotel: 300 },
    );
    const decision = await findDecision(execution);
    const { text, html, link } = await readMail(decision);
    const page = await (await fetch(link)).text();
    for (const shown of [page, html]) {
      expect(shown).toContain('Cost</h3>');
      expect(shown).toContain('<td>300</td>');
      expect(shown).toContain(
        '<a href="https://example.com/rules?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">Rules</a>',
      );
      expect(shown).toContain('<strong>[Approve](https://evil.example) &lt;script&gt;');
      expect(shown).toContain('&lt;b&gt;raw&lt;/b&gt;');
      expect(shown).not.toMatch(/<script|<img|<b>|href="(?!http)(?!#)(?!\/)|href="https:\/\/evil|<li>item/);
    }
    expect(page).not.toContain('Approved already</h');
    expect(text).toContain('[Approve](https://evil.example) <script>alert(1)</script> **bold**');
    expect(text).toContain('Hotel | 300');
    expect(text).toContain('Rules (https://example.com/rules?a=1&b=2) logo');
    await cancel(service.api, decision.id);
  });

  test('of a plain text keeps its line breaks', async () => {
    const execution = await start({ message: '{{ trigger.note }}' }, { note: 'One\nTwo *three* 1_000' });
    const decision = await findDecision(execution);
    expect(decision.message).toBe('One\nTwo \\*three\\* 1_000');
  });

  test('too large after its templates fails the node', async () => {
    const execution = await start({ message: '{{ trigger.note }}' }, { note: '*'.repeat(15_000) });
    expect((await reach(execution.id, 'failed')).error?.message).toContain('message');
  });
});

describe('attachments', () => {
  const attachments = ['{{ nodes.offer }}'];

  test('are downloaded by the people who were asked, and by no other user', async () => {
    const decision = await findDecision(await start({ attachments, assignees: ['bob@example.com'] }));
    const [file] = decision.attachments;
    expect(decision.attachments).toEqual([
      {
        id: expect.stringMatching(/^file_/),
        name: 'Offer <b> “1”.zip',
        content_type: 'application/zip',
        size: expect.any(Number),
      },
    ]);
    const path = `/decisions/${decision.id}/attachments/${file!.id}`;
    for (const call of [bob, service.api]) {
      const found = await call('GET', path);
      expect([found.status, found.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect(found.headers.get('content-disposition')).toBe(
        `attachment; filename*=UTF-8''${encodeURIComponent(file!.name)}`,
      );
      expect(found.headers.get('content-length')).toBe(String(file!.size));
    }
    const part = await bob('GET', path, { headers: { range: 'bytes=0-1' } });
    expect([part.status, part.text]).toEqual([206, 'PK']);
    expect((await eve('GET', path)).status).toBe(404);
    expect((await bob('GET', `/files/${file!.id}`)).status).toBe(404);
    expect((await service.weft.call('GET', path)).status).toBe(401);
  });

  test('give no access to other files, also not to those of the same execution', async () => {
    const execution = await start({ attachments, assignees: ['bob@example.com'] });
    const decision = await findDecision(execution);
    const { body } = await service.api('GET', `/executions/${execution.id}/nodes?limit=100`);
    const { nodes } = body as { nodes: { node_id: string; output: { $file: Attachment } }[] };
    const other = nodes.find(({ node_id: id }) => id === 'salaries')!.output.$file.id;
    expect((await service.api('GET', `/files/${other}`)).status).toBe(200);
    for (const call of [bob, service.api])
      expect((await call('GET', `/decisions/${decision.id}/attachments/${other}`)).status).toBe(404);
    const unrelated = await findDecision(await start({ attachments, assignees: ['bob@example.com'] }));
    const [foreign] = unrelated.attachments;
    expect((await bob('GET', `/decisions/${decision.id}/attachments/${foreign!.id}`)).status).toBe(404);
  });

  test('are linked in the e-mail and on the page until the decision is made', async () => {
    const decision = await findDecision(
      await start({ attachments, assignees: ['guest@elsewhere.example', 'bob@example.com'], email }),
    );
    const [file] = decision.attachments;
    const { received } = mail;
    const letter = received.find(
      ({ raw, to }) => raw.includes(decision.id) && to.includes('guest@elsewhere.example'),
    )!;
    const { text = '', html } = await simpleParser(letter.raw);
    const link = /open this page:\n(http\S+)/.exec(text)![1]!;
    const url = `${link}/files/${file!.id}`;
    expect(text).toContain(`- ${file!.name} (application/zip, ${file!.size} bytes): ${url}`);
    expect(html).toContain(`<a href="${url}"><bdi>Offer &lt;b&gt; “1”.zip</bdi></a>`);
    const page = await (await fetch(link)).text();
    expect(page).toContain(
      `<a href="${new URL(url).pathname}" download><bdi>Offer &lt;b&gt; “1”.zip</bdi></a>`,
    );
    const found = await fetch(url);
    expect([found.status, (await found.arrayBuffer()).byteLength]).toEqual([200, file!.size]);
    const { headers } = found;
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${link.slice(0, -1)}x/files/${file!.id}`)).status).toBe(404);
    expect((await fetch(`${link}/files/file_unknown`)).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);

    expect(
      (await fetch(link, { method: 'POST', body: new URLSearchParams({ choice: 'approved' }) })).status,
    ).toBe(200);
    const ended = await fetch(url);
    expect([ended.status, await ended.text()]).toEqual([404, expect.stringContaining('not available')]);
    const after = await (await fetch(link)).text();
    expect(after).toContain('Offer &lt;b&gt;');
    expect(after).not.toContain('/files/');
    // With an account, they stay part of the decision.
    expect((await bob('GET', `/decisions/${decision.id}/attachments/${file!.id}`)).status).toBe(200);
  });

  test('of a person who was asked by a role need the role, in the inbox and by the link', async () => {
    const zoe = await createUser('zoe@example.com', 'admin');
    const decision = await findDecision(await start({ attachments, assignees: ['role:admin'], email }));
    const [file] = decision.attachments;
    const letter = mail.received.find(
      ({ raw, to }) => raw.includes(decision.id) && to.includes('zoe@example.com'),
    )!;
    const { text = '' } = await simpleParser(letter.raw);
    const url = `${/open this page:\n(http\S+)/.exec(text)![1]}/files/${file!.id}`;
    const path = `/decisions/${decision.id}/attachments/${file!.id}`;
    expect([(await zoe('GET', path)).status, (await fetch(url)).status]).toEqual([200, 200]);
    const { id } = (await zoe('GET', '/users/me')).body as { id: string };
    await service.api('PUT', `/users/${id}`, { body: { role: 'member' } });
    await waitUntil(
      () => zoe('GET', path),
      ({ status }) => status !== 200,
    );
    expect([(await zoe('GET', path)).status, (await fetch(url)).status]).toEqual([403, 403]);
    await service.api('DELETE', `/users/${id}`);
    expect((await fetch(url)).status).toBe(403);
  });

  test('a reminder names them again', async () => {
    const decision = await findDecision(
      await start({ attachments, assignees: ['late@elsewhere.example'], email, reminders: ['1s'] }),
    );
    const letters = await waitUntil(
      () => Promise.resolve(mail.received.filter(({ raw }) => raw.includes(decision.id))),
      (found) => found.length === 2,
    );
    const { subject, text } = await simpleParser(letters[1]!.raw);
    expect(subject).toMatch(/^Reminder/);
    expect(text).toContain(`/files/${decision.attachments[0]!.id}`);
  });

  test('a template may return the list; a file that is named twice is attached once', async () => {
    const decision = await findDecision(
      await start({ attachments: '{{ [nodes.offer, nodes.salaries, nodes.offer] }}' }),
    );
    expect(decision.attachments.map(({ name }) => name)).toEqual(['Offer <b> “1”.zip', 'salaries.zip']);
  });

  test.each([
    [['{{ trigger.place }}'], 'attachments[0]'],
    ['{{ trigger.place }}', 'attachments'],
    [[{ $file: { id: 'file_other', name: 'a', content_type: 'a/b', size: 1 } }], 'attachments[0]'],
    ['{{ trigger.many }}', 'attachments'],
  ])('%j fails the node and names the field', async (wrong, field) => {
    const many = Array.from({ length: 21 }, () => ({ $file: { id: 'a' } }));
    const failed = await reach((await start({ attachments: wrong }, { many })).id, 'failed');
    expect(failed.error?.message).toContain(field);
  });
});
