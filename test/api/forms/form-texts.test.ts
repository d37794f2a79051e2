import { expect, test } from 'vitest';
import { createFormWorkflow, readHidden, submitForm } from '../../support/forms/submit-form.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ WEFT_WEBHOOK_RATE_LIMIT: '1000' });
const url = (endpoint: string): string => `${service.weft.url}/forms/${endpoint}`;
const readErrors = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<p class="error" id="f-(\w+)-error">([^<]*)<\/p>/g)].map(([, name, issue]) => [
      name!,
      issue!,
    ]),
  );

test('errors are sentences about one or several characters and options, and a text is one line', async () => {
  await createFormWorkflow(service.api, {
    endpoint: 'sentences',
    title: 'Sentences',
    fields: [
      { type: 'text', name: 'name', label: 'Name', default: 'two\nlines' },
      { type: 'text', name: 'initial', label: 'Initial', max: 1 },
      { type: 'long_text', name: 'notes', label: 'Notes', min: 5 },
      { type: 'choices', name: 'one', label: 'One', options: ['a', 'b'], max: 1 },
      { type: 'choices', name: 'two', label: 'Two', options: ['a', 'b', 'c'], max: 2 },
      { type: 'file', name: 'scan', label: 'Scan', max: 0.001 },
    ],
  });
  const html = await (await fetch(`${url('sentences')}?initial=A%0AB`)).text();
  expect(html).toContain('name="name" value="two lines"');
  expect(html).toContain('name="initial" value="A B"');
  const wrong = await submitForm(url('sentences'), {
    name: 'Ada\r\nBcc: eve@example.com',
    initial: 'AL',
    notes: 'a\r\nb',
    one: ['a', 'b'],
    two: ['a', 'b', 'c'],
    scan: new File(['x'.repeat(2_000)], 'scan.txt'),
  });
  expect([wrong.status, readErrors(wrong.html)]).toEqual([
    400,
    {
      name: 'Enter a single line, without line breaks.',
      initial: 'Enter only one character.',
      notes: 'Enter at least 5 characters.',
      one: 'Choose only one option.',
      two: 'Choose at most 2 options.',
      scan: 'Choose a file of at most 0.001 MiB.',
    },
  ]);
  const right = await submitForm(url('sentences'), { name: 'Ada', notes: 'a\r\nb\r\nc', one: 'a' });
  expect(right.status, right.html).toBe(200);
});

test('pages have the language of the browser', async () => {
  await createFormWorkflow(service.api, {
    endpoint: 'languages',
    title: 'Contact',
    fields: [
      { type: 'text', name: 'name', label: 'Name', required: true },
      { type: 'text', name: 'phone', label: 'Phone' },
      { type: 'page', label: 'More' },
      { type: 'choices', name: 'topics', label: 'Topics', options: ['a', 'b', 'c'], max: 2 },
    ],
  });
  const cases = [
    {
      language: 'de',
      header: 'de-AT, en;q=0.5',
      page: ['Schritt 1 von 2', '(optional)', '>Weiter<'],
      wrong: ['<title>Fehler: Contact</title>', 'Name: Dieses Feld ist erforderlich.'],
      second: ['>Zurück<', '>Absenden<'],
      topics: 'Wählen Sie höchstens 2 Optionen.',
      done: 'Vielen Dank',
      missing: 'Dieses Formular ist nicht verfügbar',
    },
    {
      language: 'ja',
      header: 'ja',
      page: ['ステップ 1 / 2', '(任意)', '>次へ<'],
      wrong: ['<title>エラー: Contact</title>', 'Name: この項目は必須です。'],
      second: ['>戻る<', '>送信<'],
      topics: '選べるのは 2 個までです。',
      done: 'ありがとうございます',
      missing: 'このフォームは利用できません',
    },
    {
      language: 'en',
      header: 'fr',
      page: ['Step 1 of 2', '(optional)', '>Next<'],
      wrong: ['<title>Error: Contact</title>', 'Name: This field is required.'],
      second: ['>Back<', '>Submit<'],
      topics: 'Choose at most 2 options.',
      done: 'Thank you',
      missing: 'This form is not available',
    },
  ];
  for (const { language, header, page, wrong, second, topics, done, missing } of cases) {
    const headers = { 'accept-language': header };
    const html = await (await fetch(url('languages'), { headers })).text();
    expect(html).toContain(`<html lang="${language}">`);
    for (const text of page) expect(html).toContain(text);
    const refused = await submitForm(url('languages'), {}, { html, action: 'next', headers });
    for (const text of wrong) expect(refused.html).toContain(text);
    const next = await submitForm(url('languages'), { name: 'Ada' }, { html, action: 'next', headers });
    for (const text of second) expect(next.html).toContain(text);
    const many = { topics: ['a', 'b', 'c'] };
    const toMany = await submitForm(url('languages'), many, { html: next.html, headers });
    expect(readErrors(toMany.html)).toEqual({ topics });
    expect((await submitForm(url('languages'), {}, { html: next.html, headers })).html).toContain(done);
    expect(await (await fetch(url('unknown'), { headers })).text()).toContain(missing);
  }
});

test('a page of an earlier version of the form says what has changed', async () => {
  await createFormWorkflow(service.api, {
    endpoint: 'earlier',
    title: 'Earlier',
    fields: [{ type: 'text', name: 'name', label: 'Name' }],
  });
  const html = await (await fetch(url('earlier'))).text();
  expect(Object.keys(readHidden(html))).not.toContain('phone');
  const sent = await submitForm(url('earlier'), { name: 'Ada', phone: '1', fax: '2' }, { html });
  expect(sent.status).toBe(400);
  expect(sent.html).toContain('<h1>The form was changed</h1>');
  expect(sent.html).toContain(
    'Nothing was submitted: this form does not have: phone, fax. Open the form again and fill in its current fields.',
  );
});
