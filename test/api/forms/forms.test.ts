import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/service.ts';
import {
  createFormWorkflow,
  createFormDefinition,
  readHidden,
  submitForm,
} from '../../support/forms/submit-form.ts';
import { useService } from '../../support/use-service.ts';

type Execution = {
  id: string;
  status: string;
  trigger: object;
  input: { fields: Record<string, unknown>; submitted_at: string };
};

const service = useService({ WEFT_WEBHOOK_RATE_LIMIT: '1000' });

const url = (endpoint: string): string => `${service.weft.url}/forms/${endpoint}`;
const list = async (workflow: string): Promise<Execution[]> => {
  const { body } = await service.api('GET', `/executions?workflow_id=${workflow}&limit=100`);
  const { executions } = body as { executions: { id: string }[] };
  return Promise.all(
    executions.map(async ({ id }) => (await service.api('GET', `/executions/${id}`)).body as Execution),
  );
};
const only = async (workflow: string): Promise<Execution> => {
  const found = await waitUntil(
    () => list(workflow),
    (all) => all.length > 0 && all.every(({ status }) => status === 'completed'),
  );
  expect(found).toHaveLength(1);
  return found[0]!;
};
const field = (type: string, name: string, more: object = {}) => ({
  type,
  name,
  label: `The ${name}`,
  ...more,
});

describe('a form', () => {
  test('shows its page, and a submission starts one execution with typed values', async () => {
    const workflow = await createFormWorkflow(service.api, {
      endpoint: 'all-types',
      title: 'Everything & <more>',
      description: 'Two\nlines',
      fields: [
        field('text', 'text', { required: true }),
        field('long_text', 'long'),
        field('email', 'mail'),
        field('number', 'number', { min: 1, max: 10 }),
        field('date', 'date'),
        field('time', 'time'),
        field('date_time', 'moment'),
        field('choice', 'choice', { options: ['a', 'b & "c"'] }),
        field('choices', 'choices', { options: ['x', 'y', 'z'] }),
        field('consent', 'consent', { required: true }),
        field('file', 'file', { accept: ['image/*', '.pdf'] }),
        field('hidden', 'source', { default: 'web' }),
      ],
    });
    const view = (await service.api('GET', `/workflows/${workflow}`)).body as { triggers: object[] };
    expect(view.triggers).toEqual([{ node_id: 'form', type: 'form', url: url('all-types') }]);

    const page = await fetch(`${url('all-types')}?text=Ada&choice=a&source=mail`);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('<h1>Everything &amp; &lt;more&gt;</h1>');
    expect(html).not.toContain('<script');
    expect(html).toContain('value="Ada"');
    expect(readHidden(html)).toMatchObject({ source: 'mail', _page: '0' });
    expect(await list(workflow)).toEqual([]);
    expect((await fetch(url('all-types'), { method: 'HEAD' })).status).toBe(200);

    const entered = {
      text: 'Ada',
      long: 'one\r\ntwo',
      mail: 'ada@example.com',
      number: '7.5',
      date: '2026-01-31',
      time: '09:30',
      moment: '2026-01-31T09:30',
      choice: 'b & "c"',
      choices: ['x', 'z'],
      consent: 'yes',
      file: new File(['%PDF'], 'invoice.pdf', { type: 'application/pdf' }),
    };
    const sent = await submitForm(url('all-types'), entered, { html });
    expect(sent.status, sent.html).toBe(200);
    expect(sent.html).toContain('Thank you');
    // The same submission again, for example after a double click or a reload.
    const again = await Promise.all(
      Array.from({ length: 20 }, () => submitForm(url('all-types'), entered, { html })),
    );
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));

    const { trigger, input } = await only(workflow);
    expect(trigger).toEqual({ type: 'form', node_id: 'form' });
    expect(input).toEqual({
      fields: {
        ...entered,
        long: 'one\ntwo',
        number: 7.5,
        consent: true,
        source: 'mail',
        file: {
          $file: {
            id: expect.any(String),
            name: 'invoice.pdf',
            content_type: 'application/pdf',
            size: 4,
          },
        },
      },
      submitted_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const { id } = (input.fields['file'] as { $file: { id: string } }).$file;
    expect((await service.api('GET', `/files/${id}`)).text).toBe('%PDF');
    // Going back to the page, with another entry or another file, is another submission.
    const scan = new File(['%PDG'], 'invoice.pdf', { type: 'application/pdf' });
    for (const changed of [{ text: 'Bob' }, { file: scan }])
      expect((await submitForm(url('all-types'), { ...entered, ...changed }, { html })).status).toBe(200);
    await expect.poll(async () => (await list(workflow)).length).toBe(3);
    // So is that of another page.
    expect((await submitForm(url('all-types'), entered)).status).toBe(200);
    await expect.poll(async () => (await list(workflow)).length).toBe(4);
  });

  test('bad input names every field, and keeps what was entered', async () => {
    const workflow = await createFormWorkflow(service.api, {
      endpoint: 'strict',
      title: 'Strict',
      fields: [
        field('text', 'name', { required: true, min: 2, max: 5 }),
        field('email', 'mail', { required: true }),
        field('number', 'amount', { min: 1, max: 10 }),
        field('date', 'day'),
        field('time', 'hour'),
        field('date_time', 'moment'),
        field('choice', 'size', { options: ['s', 'm'] }),
        field('choices', 'extras', { options: ['x', 'y', 'z'], min: 2 }),
        field('consent', 'terms', { required: true }),
        field('file', 'scan', { required: true, accept: ['.pdf'] }),
      ],
    });
    const cases: [Record<string, string | string[] | File>, Record<string, string>][] = [
      [
        {
          name: 'x',
          mail: 'nobody',
          amount: 'many',
          day: '2026-02-30',
          hour: '25:00',
          moment: 'now',
          size: 'xl',
          extras: ['x'],
          scan: new File(['x'], 'a.exe', { type: 'application/octet-stream' }),
        },
        {
          name: 'Enter at least 2 characters.',
          mail: 'Enter an email address, such as name@example.com.',
          amount: 'Enter a number.',
          day: 'Enter a date, such as 2026-01-31.',
          hour: 'Enter a time, such as 14:30.',
          moment: 'Enter a date and a time, such as 2026-01-31T14:30.',
          size: 'Choose one of the options.',
          extras: 'Choose at least 2 options.',
          terms: 'This field is required.',
          scan: 'Choose a file of these types: .pdf.',
        },
      ],
      [
        { name: 'far too long', mail: '', amount: '11', extras: ['x', 'q'], terms: 'yes' },
        {
          name: 'Enter at most 5 characters.',
          mail: 'This field is required.',
          amount: 'Enter a number of at most 10.',
          extras: 'Choose from the options.',
          scan: 'This field is required.',
        },
      ],
    ];
    for (const [entered, expected] of cases) {
      const { status, html } = await submitForm(url('strict'), entered);
      expect(status).toBe(400);
      const found = Object.fromEntries(
        [...html.matchAll(/<p class="error" id="f-(\w+)-error">([^<]*)<\/p>/g)].map(([, name, issue]) => [
          name!,
          issue!,
        ]),
      );
      expect(found).toEqual(expected);
      // Each is in the summary, with a link to its control.
      for (const [name, issue] of Object.entries(expected)) {
        const [, target] = new RegExp(`<a href="#([\\w-]+)">The ${name}: ${issue}</a>`).exec(html) ?? [];
        expect(html, name).toContain(`id="${target}"`);
      }
      expect(html).toContain(`value="${entered['name'] as string}"`);
      expect(html).toMatch(/id="f-extras-1" name="extras" value="x" checked/);
    }
    expect(await list(workflow)).toEqual([]);
  });

  test('pages, conditions, and values that travel with the pages', async () => {
    const workflow = await createFormWorkflow(service.api, {
      endpoint: 'pages',
      title: 'Pages',
      fields: [
        field('choice', 'kind', { options: ['order', 'other'], required: true }),
        field('text', 'number', { required: true, show_when: { field: 'kind', equals: 'order' } }),
        { type: 'page', label: 'Second', hint: 'More' },
        field('text', 'details', { show_when: { field: 'kind', equals: 'other' }, required: true }),
        field('consent', 'express'),
        field('text', 'until', { show_when: { field: 'express', equals: true }, required: true }),
        field('file', 'scan', { show_when: { field: 'express', equals: true } }),
      ],
    });
    const first = await (await fetch(url('pages'))).text();
    expect(first).toContain('Step 1 of 2');
    const wrong = await submitForm(url('pages'), { kind: 'order' }, { html: first, action: 'next' });
    expect([wrong.status, wrong.html.includes('id="f-number-error"')]).toEqual([400, true]);
    const second = await submitForm(
      url('pages'),
      { kind: 'other', number: 'not shown' },
      { html: first, action: 'next' },
    );
    expect(second.status).toBe(200);
    expect(second.html).toContain('<h2>Second</h2>');
    expect(readHidden(second.html)).toMatchObject({ kind: 'other', _page: '1' });
    const back = await submitForm(url('pages'), { details: 'kept' }, { html: second.html, action: 'back' });
    expect(back.html).toMatch(/value="other" checked/);
    expect(readHidden(back.html)).toMatchObject({ details: 'kept' });
    const sent = await submitForm(
      url('pages'),
      { details: 'd', scan: new File(['x'], 'x.txt') },
      { html: second.html },
    );
    expect(sent.status, sent.html).toBe(200);
    const { id, input } = await only(workflow);
    // A field that is not shown has no value, and its file is not stored.
    expect(input.fields).toEqual({ kind: 'other', details: 'd', express: false });
    const { body } = await service.api('GET', `/executions/${id}`);
    expect(JSON.stringify(body)).not.toContain('$file');
    // A page that is left out is validated in the end.
    const skipped = await submitForm(url('pages'), { _page: '1', details: 'd' }, { html: first });
    expect([skipped.status, skipped.html.includes('Step 1 of 2')]).toEqual([400, true]);
  });

  test('a redirect, the look, and the labels', async () => {
    await createFormWorkflow(service.api, {
      endpoint: 'branded',
      title: 'Branded',
      fields: [field('text', 'name')],
      submit_label: 'Send it',
      redirect: 'https://www.example.com/thanks',
      brand: { name: 'Shop', logo: 'data:image/png;base64,iVBORw0KGgo=', colour: '#FFcc00' },
    });
    const page = await fetch(url('branded'));
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toMatch(
      /img-src data:; form-action 'self' https:\/\/www\.example\.com;/,
    );
    expect(html).toContain('Send it');
    expect(html).toContain('background:#FFcc00;color:#000');
    const { status, headers } = await submitForm(url('branded'), { name: 'Ada' });
    expect([status, headers.get('location')]).toEqual([303, 'https://www.example.com/thanks']);
  });
});

test('errors are pages, and nothing starts', async () => {
  const workflow = await createFormWorkflow(service.api, {
    endpoint: 'errors',
    title: 'Errors',
    fields: [field('file', 'file')],
  });
  const post = (
    body: string | FormData | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Response> => fetch(url('errors'), { method: 'POST', body, headers });
  const html = await (await fetch(url('errors'))).text();
  const key = readHidden(html)['_key']!;
  const form = (all: Record<string, string>): URLSearchParams => new URLSearchParams({ _key: key, ...all });
  const large = new FormData();
  large.append('file', new File([new Uint8Array(17 * 1024 * 1024)], 'large'));
  const cases: [Promise<Response>, number, RegExp][] = [
    [fetch(url('unknown')), 404, /not available/],
    [post('{}', { 'content-type': 'application/json' }), 415, /not a form/],
    [post('x', { 'content-type': 'multipart/form-data' }), 400, /boundary/],
    [post(form({ _page: '0', extra: 'x' })), 400, /does not have: extra/],
    [post(form({ _page: '7' })), 400, /_page/],
    [post(new URLSearchParams({ _page: '0' })), 400, /_key/],
    [post(form({ _page: '0', file: 'a text' })), 400, /Choose a file/],
    [post(large), 400, /too large/],
  ];
  for (const [response, status, text] of cases) {
    const { status: got, headers } = await response;
    expect([got, headers.get('content-type')], String(text)).toEqual([status, 'text/html; charset=utf-8']);
    expect(await (await response).text()).toMatch(text);
  }
  expect(await list(workflow)).toEqual([]);
  await service.api('PUT', `/workflows/${workflow}`, { body: { status: 'inactive' } });
  expect((await fetch(url('errors'))).status).toBe(404);
  // A webhook of the same path is another endpoint, and a form is none.
  expect((await fetch(`${service.weft.url}/webhooks/errors`, { method: 'POST' })).status).toBe(404);
});

test('a wrong configuration is refused, each field by name', async () => {
  const refused = async (config: object): Promise<string[]> => {
    const { status, body } = await service.api('POST', '/workflows', {
      body: {
        name: 'Wrong',
        status: 'active',
        definition: createFormDefinition({ endpoint: 'wrong', title: 'Wrong', ...config }),
      },
    });
    expect(status).toBe(400);
    const { error } = body as { error: { details: { errors: { field: string }[] } } };
    return error.details.errors.map((one) => one.field.replace('definition.nodes[0].config.', ''));
  };
  const cases: [object, string[]][] = [
    [{ fields: [] }, ['fields']],
    [{ endpoint: ':id', fields: [field('text', 'a')] }, ['endpoint']],
    [{ fields: [field('text', '1a')] }, ['fields[0].name']],
    [{ fields: [{ type: 'text', label: 'x' }] }, ['fields[0].name']],
    [{ fields: [field('text', 'a'), field('text', 'a')] }, ['fields[1].name']],
    [{ fields: [field('choice', 'a')] }, ['fields[0].options']],
    [{ fields: [field('text', 'a', { options: ['x'] })] }, ['fields[0].options']],
    [{ fields: [field('number', 'a', { default: 'x' })] }, ['fields[0].default']],
    [{ fields: [field('consent', 'a', { default: 'yes' })] }, ['fields[0].default']],
    [{ fields: [field('text', 'a', { min: 3, max: 2 })] }, ['fields[0].max']],
    [{ fields: [field('file', 'a', { accept: ['pdf'] })] }, ['fields[0].accept[0]']],
    [
      { fields: [field('text', 'a'), field('text', 'b', { show_when: { field: 'a', equals: 'x' } })] },
      ['fields[1].show_when.field'],
    ],
    [
      {
        fields: [
          field('choice', 'a', { options: ['x'] }),
          field('text', 'b', { show_when: { field: 'a', equals: 'y' } }),
        ],
      },
      ['fields[1].show_when.equals'],
    ],
    [{ fields: [field('text', 'a'), { type: 'page', label: 'x' }] }, ['fields[1].type']],
    [{ fields: [field('file', 'a'), { type: 'page', label: 'x' }, field('text', 'b')] }, ['fields[0].type']],
    [{ fields: [field('text', 'a')], redirect: 'javascript:alert(1)' }, ['redirect']],
    [
      { fields: [field('text', 'a')], brand: { logo: 'https://x.example/a.png', colour: 'red' } },
      ['brand.logo', 'brand.colour'],
    ],
  ];
  for (const [config, expected] of cases)
    expect(await refused(config), JSON.stringify(config)).toEqual(expected);
});
