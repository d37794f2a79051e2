import { expect, test } from 'vitest';
import { waitUntil, type ApiResponse } from '../../support/service.ts';
import { startMailServer } from '../../support/servers/smtp-server.ts';
import { useService } from '../../support/use-service.ts';
import { manual, mapNode } from '../definitions.ts';

type Execution = { id: string; status: string; output: Record<string, unknown>; error: { message: string } };

const service = useService();

const review = {
  title: 'Review {{ input.topic }}',
  choices: [
    { name: 'publish', label: 'Publish' },
    { name: 'revise', label: 'Ask for changes' },
  ],
  fields: [
    { type: 'long_text', name: 'text', label: 'Text', required: true, default: '{{ input.draft }}' },
    { type: 'number', name: 'priority', label: 'Priority', min: 1, max: 5 },
    { type: 'choice', name: 'channel', label: 'Channel', options: ['Blog', 'Mail'], required: true },
    {
      type: 'text',
      name: 'list',
      label: 'Mailing list',
      required: true,
      show_when: { field: 'channel', equals: 'Mail' },
    },
    { type: 'choices', name: 'tags', label: 'Tags', options: ['a', 'b', 'c'] },
    { type: 'consent', name: 'legal', label: 'I checked the facts', required: true },
  ],
};

async function start(config: object, input: object = {}, type = 'approval'): Promise<Execution> {
  const definition = {
    nodes: [manual, { id: 'ask', type, config }, mapNode('publish', 'values.text', 'text')],
    connections: [
      { from: 'start', to: 'ask' },
      { from: 'ask', sourcePort: type === 'form' ? 'submitted' : 'publish', to: 'publish' },
    ],
  };
  const made = await service.api('POST', '/workflows', { body: { name: 'Review', definition } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const body = { input: { topic: 'bees', draft: 'Bees are\n"busy" & <b>bold</b>', ...input } };
  const started = await service.api('POST', `/workflows/${id}/execute`, { body });
  expect(started.status, started.text).toBe(201);
  return started.body as Execution;
}
const reach = (id: string, status: string): Promise<Execution> =>
  waitUntil(
    async () => (await service.api('GET', `/executions/${id}`)).body as Execution,
    (one) => one.status === status,
  );
async function findDecision(
  execution: string,
): Promise<{ id: string; fields: { name: string; default: string }[] }> {
  await reach(execution, 'waiting');
  const { body } = await service.api('GET', '/decisions?view=owned&limit=100');
  const { decisions } = body as { decisions: { id: string; execution_id: string; fields: [] }[] };
  return decisions.find((one) => one.execution_id === execution)!;
}
const respond = (id: string, body: object): Promise<ApiResponse> =>
  service.api('POST', `/decisions/${id}/respond`, { body });
const readErrors = ({ body }: ApiResponse): [string, string][] =>
  (body as { error: { details: { errors: { field: string; issue: string }[] } } }).error.details.errors.map(
    ({ field, issue }) => [field, issue],
  );

test('people fill in fields, whose values continue with the execution', async () => {
  const execution = await start(review);
  const { id, fields } = await findDecision(execution.id);
  expect(fields.map(({ name }) => name)).toEqual(['text', 'priority', 'channel', 'list', 'tags', 'legal']);
  expect(fields[0]).toMatchObject({
    type: 'long_text',
    default: 'Bees are\n"busy" & <b>bold</b>',
    required: true,
  });
  expect(fields[3]).toMatchObject({ show_when: { field: 'channel', equals: 'Mail' } });

  const wrong = { text: '', priority: 7, channel: 'Mail', tags: ['a', 'x'], legal: 'maybe' };
  expect(readErrors(await respond(id, { choice: 'publish', values: wrong }))).toEqual([
    ['values.text', 'This field is required.'],
    ['values.priority', 'Enter a number of at most 5.'],
    ['values.list', 'This field is required.'],
    ['values.tags', 'Choose from the options.'],
    ['values.legal', 'must be true or false'],
  ]);
  // Unknown names hide no other error. The required text has a default.
  expect(readErrors(await respond(id, { choice: 'publish', values: { price: 1, cost: 2 } }))).toEqual([
    [
      'values.price',
      'is not a field of this decision; its fields are: text, priority, channel, list, tags, legal',
    ],
    [
      'values.cost',
      'is not a field of this decision; its fields are: text, priority, channel, list, tags, legal',
    ],
    ['values.channel', 'This field is required.'],
    ['values.legal', 'This field is required.'],
  ]);
  const values = {
    text: 'Bees dance',
    priority: 2,
    channel: 'Blog',
    list: 'ignored',
    tags: ['c'],
    legal: true,
  };
  const done = await respond(id, { choice: 'publish', values });
  expect(done.status, done.text).toBe(200);
  const { list: _hidden, ...stored } = values;
  expect(done.body).toMatchObject({ status: 'decided', assignees: [{ values: stored }] });
  // A double click changes nothing; another value is another response.
  expect((await respond(id, { choice: 'publish', values })).status).toBe(200);
  const other = await respond(id, { choice: 'publish', values: { ...values, text: 'x' } });
  expect(other.body).toMatchObject({ error: { code: 'CONFLICT' } });
  expect((await reach(execution.id, 'completed')).output).toEqual({ text: 'Bees dance' });
});

test('another choice than the first needs no values', async () => {
  const { id } = await findDecision((await start(review)).id);
  expect(readErrors(await respond(id, { choice: 'revise', values: { priority: 9 } }))).toEqual([
    ['values.priority', 'Enter a number of at most 5.'],
  ]);
  const done = await respond(id, { choice: 'revise', comment: 'Sources?', values: { text: 'Bees' } });
  expect(done.body).toMatchObject({
    choice: 'revise',
    assignees: [{ values: { text: 'Bees', legal: false } }],
  });
});

test('a field that is missing in a response has its default; an empty one has none', async () => {
  const config = {
    title: 'x',
    choices: review.choices,
    fields: [
      { type: 'long_text', name: 'text', label: 'Text', required: true, default: '{{ input.draft }}' },
      { type: 'number', name: 'priority', label: 'Priority', default: '3' },
      { type: 'choices', name: 'tags', label: 'Tags', options: ['a', 'b'], default: 'a' },
      { type: 'text', name: 'note', label: 'Note', default: 'none' },
    ],
  };
  const first = await findDecision((await start(config, { draft: 'Bees' })).id);
  expect((await respond(first.id, { choice: 'publish' })).body).toMatchObject({
    assignees: [{ values: { text: 'Bees', priority: 3, tags: ['a'], note: 'none' } }],
  });
  const second = await findDecision((await start(config)).id);
  expect(readErrors(await respond(second.id, { choice: 'publish', values: { text: '', note: '' } }))).toEqual(
    [['values.text', 'This field is required.']],
  );
  const values = { text: 'Bees', tags: [], note: '', priority: null };
  const done = await respond(second.id, { choice: 'publish', values });
  expect((done.body as { assignees: { values: object }[] }).assignees[0]?.values).toEqual({ text: 'Bees' });
});

test('a decision without fields refuses values', async () => {
  const execution = await start({ title: 'Plain', choices: review.choices });
  const { id } = await findDecision(execution.id);
  expect(readErrors(await respond(id, { choice: 'publish', values: { a: 1 } }))).toEqual([
    ['values.a', 'is not a field of this decision; it has none'],
  ]);
  expect((await respond(id, { choice: 'publish', values: {} })).body).toMatchObject({
    assignees: [{ values: null }],
  });
});

test('the page behind a link shows the fields, keeps what was entered, and names each wrong field', async () => {
  const mail = await startMailServer();
  await service.api('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
  const execution = await start({
    ...review,
    assignees: ['guest@elsewhere.example'],
    email: { credentials: '{{ secrets.MAIL }}', from: 'weft@example.com' },
  });
  await reach(execution.id, 'waiting');
  const [letter] = await waitUntil(
    () => Promise.resolve(mail.received),
    (all) => all.length > 0,
  );
  const link = /http\S+\/decide\/\S+/.exec(letter!.raw.replaceAll('=\r\n', ''))![0];
  const page = await (await fetch(link)).text();
  expect(page).not.toContain('<script');
  expect(page).toContain('Bees are\n&quot;busy&quot; &amp; &lt;b&gt;bold&lt;/b&gt;</textarea>');
  expect(page).toContain(':has(');

  const send = (fields: Record<string, string | string[]>): Promise<Response> => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) body.append(name, one);
    return fetch(link, { method: 'POST', body });
  };
  const entered = { v_text: 'Bees <sing>', v_priority: 'many', v_channel: 'Mail', v_tags: ['a', 'c'] };
  const refused = await send({ choice: 'publish', comment: 'Nice', ...entered });
  expect(refused.status).toBe(400);
  const html = await refused.text();
  expect(html).toContain('<title>Error: Review bees');
  for (const line of ['Priority: Enter a number.', 'Mailing list: This field is required.'])
    expect(html).toContain(line);
  expect(html).toContain('href="#f-v_list"');
  expect(html).toContain('Bees &lt;sing&gt;</textarea>');
  expect(html).toContain('value="many"');
  expect(html).toContain('>Nice</textarea>');
  expect(html.match(/value="(?:Mail|a|c)" checked/g)).toHaveLength(3);

  const german = await fetch(link, { headers: { 'accept-language': 'de' } });
  expect(await german.text()).toMatch(/<html lang="de">[^]*Sie antworten als[^]*Kommentar \(optional\)/);
  const wrong = await fetch(link.replace(/.$/, '-'), { headers: { 'accept-language': 'ja' } });
  expect([wrong.status, await wrong.text()]).toEqual([404, expect.stringContaining('このリンクは無効です')]);

  const done = await send({ choice: 'publish', ...entered, v_priority: '3', v_list: 'news', v_legal: 'yes' });
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Decided')]);
  await reach(execution.id, 'completed');
  const { body } = await service.api('GET', '/decisions?view=owned&search=bees&limit=1');
  expect((body as { decisions: object[] }).decisions[0]).toMatchObject({
    assignees: [
      {
        via: 'link',
        values: {
          text: 'Bees <sing>',
          priority: 3,
          channel: 'Mail',
          list: 'news',
          tags: ['a', 'c'],
          legal: true,
        },
      },
    ],
  });
  await mail.close();
});

test.each([
  [{ type: 'file', name: 'a', label: 'A' }, 'type'],
  [{ type: 'page', label: 'A' }, 'type'],
  [{ type: 'text', label: 'A' }, 'name'],
  [{ type: 'choice', name: 'a', label: 'A' }, 'options'],
  [{ type: 'number', name: 'a', label: 'A', default: 'many' }, 'default'],
  [{ type: 'text', name: 'a', label: 'A', accept: ['.pdf'] }, 'accept'],
])('refuses the field %j when the workflow is activated', async (field, key) => {
  const definition = {
    nodes: [manual, { id: 'ask', type: 'approval', config: { title: 'x', fields: [field] } }],
    connections: [{ from: 'start', to: 'ask' }],
  };
  const { status, text } = await service.api('POST', '/workflows', {
    body: { name: 'x', status: 'active', definition },
  });
  expect(status).toBe(400);
  expect(text).toContain(`config.fields[0].${key}`);
});

test('a default that a template makes wrong leaves its field empty, and is named in the log', async () => {
  const config = {
    title: 'x',
    fields: [{ type: 'number', name: 'n', label: 'N', default: '{{ input.topic }}' }],
  };
  for (const type of ['approval', 'form']) {
    const choices = type === 'form' ? {} : { choices: review.choices };
    const { id } = await start({ ...config, ...choices }, {}, type);
    const decision = await findDecision(id);
    expect(decision.fields).toMatchObject([{ name: 'n', default: '' }]);
    const { text } = await service.api('GET', `/executions/${id}/logs?limit=100`);
    expect(text).toContain('fields[0].default must be a valid value of this field. The field begins empty.');
  }
});
