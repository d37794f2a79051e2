import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readHidden, submitForm } from '../../support/forms/submit-form.ts';
import { waitUntil, type ApiResponse } from '../../support/service.ts';
import { startMailServer } from '../../support/servers/smtp-server.ts';
import { useService } from '../../support/use-service.ts';
import { manual, mapNode } from '../definitions.ts';

type Execution = {
  id: string;
  status: string;
  output: Record<string, unknown>;
  error: { type: string; message: string };
};
type Decision = {
  id: string;
  execution_id: string;
  status: string;
  form_url: string | null;
  fields: { name: string }[];
  can_respond: boolean;
};

const service = useService();
const listStoredFiles = (): string[] =>
  readdirSync(path.join(service.weft.dataDir, 'files'), { recursive: true, encoding: 'utf8' }).toSorted();

const documents = {
  title: 'Documents for order {{ input.order }}',
  description: 'We need two documents.',
  fields: [
    { type: 'text', name: 'name', label: 'Name', required: true, default: '{{ input.name }}' },
    { type: 'choice', name: 'kind', label: 'Kind', options: ['Company', 'Person'], required: true },
    {
      type: 'text',
      name: 'tax',
      label: 'Tax number',
      required: true,
      show_when: { field: 'kind', equals: 'Company' },
    },
    { type: 'page', label: 'Documents' },
    { type: 'file', name: 'passport', label: 'Passport', required: true, accept: ['.pdf'] },
    {
      type: 'file',
      name: 'register',
      label: 'Register',
      show_when: { field: 'kind', equals: 'Company' },
    },
  ],
};

async function start(
  config: object,
  extra: { nodes?: object[]; connections?: object[] } = {},
): Promise<string> {
  const definition = {
    nodes: [
      manual,
      { id: 'ask', type: 'form', config },
      mapNode('store', 'fields', 'fields'),
      ...(extra.nodes ?? []),
    ],
    connections: [
      { from: 'start', to: 'ask' },
      { from: 'ask', sourcePort: 'submitted', to: 'store' },
      ...(extra.connections ?? []),
    ],
  };
  const made = await service.api('POST', '/workflows', { body: { name: 'Documents', definition } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const body = { input: { order: 17, name: 'Ada' } };
  const started = await service.api('POST', `/workflows/${id}/execute`, { body });
  expect(started.status, started.text).toBe(201);
  return (started.body as Execution).id;
}
const reach = (id: string, status: string): Promise<Execution> =>
  waitUntil(
    async () => (await service.api('GET', `/executions/${id}`)).body as Execution,
    (one) => one.status === status,
  );
async function findDecision(execution: string): Promise<Decision> {
  await reach(execution, 'waiting');
  const { body } = await service.api('GET', '/decisions?view=owned&limit=100');
  return (body as { decisions: Decision[] }).decisions.find((one) => one.execution_id === execution)!;
}
const pdf = (text: string): File => new File([text], 'passport.pdf', { type: 'application/pdf' });
const readIssue = ({ body }: ApiResponse): unknown =>
  (body as { error: { details: { errors: { field: string; issue: string }[] } } }).error.details.errors;

test('a person fills in pages with files by a link, and the execution continues with them', async () => {
  const execution = await start(documents);
  const { id, form_url: url, fields, can_respond } = await findDecision(execution);
  expect([can_respond, fields.map(({ name }) => name)]).toEqual([
    true,
    ['name', 'kind', 'tax', 'passport', 'register'],
  ]);
  const first = await (await fetch(url!)).text();
  expect(first).toContain('<h1>Documents for order 17</h1>');
  expect(first).toContain('We need two documents.');
  expect(first).toContain('Step 1 of 2');
  expect(first).toContain('name="name" value="Ada"');
  expect(first).not.toContain('<script');

  const wrong = await submitForm(url!, { name: 'Ada', kind: 'Company' }, { html: first, action: 'next' });
  expect([wrong.status, wrong.html.includes('id="f-tax-error"')]).toEqual([400, true]);
  const entered = { name: 'Ada', kind: 'Company', tax: 'DE 0123' };
  const second = await submitForm(url!, entered, { html: first, action: 'next' });
  expect(second.html).toContain('<h2>Documents</h2>');
  expect(readHidden(second.html)).toMatchObject({ tax: 'DE 0123', _page: '1' });
  const missing = await submitForm(url!, { passport: new File(['x'], 'a.exe') }, { html: second.html });
  expect([missing.status, missing.html.includes('Choose a file of these types: .pdf.')]).toEqual([400, true]);
  await reach(execution, 'waiting');

  const files = { passport: pdf('%PDF-1'), register: new File(['r'], 'register.txt') };
  const sent = await submitForm(url!, files, { html: second.html });
  expect([sent.status, sent.html.includes('Thank you')], sent.html).toEqual([200, true]);
  const { output } = await reach(execution, 'completed');
  expect(output).toMatchObject({
    fields: {
      ...entered,
      passport: { $file: { name: 'passport.pdf', content_type: 'application/pdf', size: 6 } },
      register: { $file: { name: 'register.txt', size: 1 } },
    },
  });
  const passport = (output['fields'] as { passport: { $file: { id: string } } }).passport.$file;
  expect((await service.api('GET', `/files/${passport.id}`)).text).toBe('%PDF-1');

  // The same submission again, for example after a double click, changes nothing; another one is refused.
  const again = await Promise.all(
    Array.from({ length: 5 }, () => submitForm(url!, files, { html: second.html })),
  );
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const stored = listStoredFiles();
  const other = await submitForm(url!, { ...files, passport: pdf('%PDF-2') }, { html: second.html });
  expect([other.status, other.html.includes('already submitted')]).toEqual([400, true]);
  // A response that cannot be recorded stores nothing.
  expect(listStoredFiles()).toEqual(stored);
  const closed = (await service.api('GET', `/decisions/${id}`)).body;
  expect(closed).toMatchObject({ status: 'decided', choice: 'submitted', form_url: null });
  expect(await (await fetch(url!)).text()).toContain('Thank you');
  const runs = await service.api('GET', `/executions/${execution}/nodes`);
  expect(runs.text).toContain('"email":"admin@example.com"');
});

test('a person without an account gets the link by e-mail', async () => {
  const mail = await startMailServer();
  await service.api('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
  const execution = await start({
    title: 'Your opinion',
    fields: [{ type: 'long_text', name: 'opinion', label: 'Opinion', required: true }],
    assignees: ['guest@elsewhere.example'],
    email: { credentials: '{{ secrets.MAIL }}', from: 'weft@example.com' },
    redirect: 'https://www.example.com/thanks',
  });
  const { form_url: url } = await findDecision(execution);
  expect(url).toBeNull();
  const [letter] = await waitUntil(
    () => Promise.resolve(mail.received),
    (all) => all.length > 0,
  );
  const text = letter!.raw.replaceAll('=\r\n', '');
  expect(text).toContain('To fill in the form, open this page:');
  const link = /http\S+\/decide\/\S+/.exec(text)![0];
  const sent = await submitForm(link, { opinion: 'Good' });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, 'https://www.example.com/thanks']);
  expect((await reach(execution, 'completed')).output).toEqual({ fields: { opinion: 'Good' } });
  await mail.close();
});

test('the API accepts a form without files, and no reference to another file', async () => {
  const execution = await start(documents);
  const { id } = await findDecision(execution);
  const respond = (values: object): Promise<ApiResponse> =>
    service.api('POST', `/decisions/${id}/respond`, { body: { choice: 'submitted', values } });
  const forged = { $file: { id: 'file_x', name: 'x.pdf', content_type: 'application/pdf', size: 1 } };
  expect(readIssue(await respond({ name: 'Ada', kind: 'Person', passport: forged }))).toEqual([
    {
      field: 'values.passport',
      issue: 'must be a file that is uploaded on the page of the form, form_url',
    },
  ]);
  expect(readIssue(await respond({ name: 'Ada', kind: 'Person' }))).toEqual([
    { field: 'values.passport', issue: 'This field is required.' },
  ]);
  const plain = await start({ title: 'Plain', fields: [documents.fields[0]] });
  const other = await findDecision(plain);
  const done = await service.api('POST', `/decisions/${other.id}/respond`, {
    body: { choice: 'submitted', values: { name: 'Bob' } },
  });
  expect(done.status, done.text).toBe(200);
  expect((await reach(plain, 'completed')).output).toEqual({ fields: { name: 'Bob' } });
});

test('only a credential that may respond gets the link', async () => {
  const execution = await start(documents);
  const { id, form_url } = await findDecision(execution);
  expect(form_url).toContain('/decide/');
  const made = await service.api('POST', '/api-keys', {
    body: { name: 'reader', scopes: ['executions:read'] },
  });
  expect(made.status, made.text).toBe(201);
  const { key } = made.body as { key: string };
  const response = await fetch(`${service.weft.url}/decisions/${id}`, {
    headers: { 'x-api-key': key },
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ id, form_url: null, can_respond: true }),
  ]);
});

test('the deadline has its own port, and its page says so', async () => {
  const execution = await start(
    { ...documents, deadline: '1s' },
    {
      nodes: [mapNode('late', 'decision_id', 'id')],
      connections: [{ from: 'ask', sourcePort: 'expired', to: 'late' }],
    },
  );
  const { id, form_url: url } = await findDecision(execution);
  const html = await (await fetch(url!)).text();
  expect((await reach(execution, 'completed')).output).toEqual({ id });
  const late = await submitForm(url!, { name: 'Ada', kind: 'Person' }, { html, action: 'next' });
  const last = await submitForm(url!, { passport: pdf('%PDF') }, { html: late.html });
  expect([last.status, last.html.includes('The deadline of this form has passed')]).toEqual([400, true]);
  expect(await (await fetch(url!)).text()).toContain('The deadline of this form has passed');
});

test('an unsupported configuration is refused, and names the field', async () => {
  const cases: [object, string][] = [
    [{ ...documents, timeout: '1h' }, 'timeout'],
    [{ ...documents, redirect: 'javascript:alert(1)' }, 'redirect'],
    [{ ...documents, assignees: ['nobody'] }, 'assignees[0]'],
    [{ ...documents, reminders: ['1d'] }, 'email'],
    [{ ...documents, fields: [documents.fields[3]] }, 'fields[0].type'],
    [{ ...documents, fields: [] }, 'fields'],
  ];
  for (const [config, field] of cases) {
    const definition = {
      nodes: [manual, { id: 'ask', type: 'form', config }],
      connections: [{ from: 'start', to: 'ask' }],
    };
    const { status, text } = await service.api('POST', '/workflows', {
      body: { name: 'x', status: 'active', definition },
    });
    expect([status, text]).toEqual([400, expect.stringContaining(`config.${field}"`)]);
  }
});
