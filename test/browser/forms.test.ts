import path from 'node:path';
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTempFolder, waitUntil, type Call } from '../support/service.ts';
import { createFormWorkflow } from '../support/forms/submit-form.ts';
import { runAxe } from './support/axe.ts';
import { openCanvas } from './support/canvas-page.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { signIn } from './support/sign-in.ts';

const field = (type: string, name: string, label: string, more: object = {}) => ({
  type,
  name,
  label,
  ...more,
});

/** Twenty fields, two of them files, and a condition on the same page. */
const FIELDS = [
  field('text', 'first_name', 'First name', { required: true }),
  field('text', 'last_name', 'Last name', { required: true, max: 10 }),
  field('email', 'email', 'Email', { required: true, hint: 'We send the confirmation to this address.' }),
  field('text', 'phone', 'Phone'),
  field('text', 'street', 'Street'),
  field('text', 'city', 'City'),
  field('choice', 'country', 'Country', {
    options: ['Austria', 'Belgium', 'France', 'Germany', 'Italy', 'Netherlands', 'Spain'],
  }),
  field('date', 'arrival', 'Arrival'),
  field('time', 'hour', 'Time of arrival'),
  field('date_time', 'call', 'When may we call you?'),
  field('number', 'guests', 'Guests', { min: 1, max: 8, required: true }),
  field('choice', 'bed', 'Bed', { options: ['Single bed', 'Double bed'] }),
  field('choices', 'extras', 'Extras', { options: ['Breakfast', 'Parking', 'Late checkout'] }),
  field('choice', 'payment', 'Payment', { options: ['Card', 'Invoice'], required: true }),
  field('text', 'tax', 'Tax number', {
    required: true,
    show_when: { field: 'payment', equals: 'Invoice' },
  }),
  field('long_text', 'notes', 'Notes'),
  field('file', 'passport', 'Passport', { required: true, accept: ['.pdf', 'image/*'] }),
  field('file', 'voucher', 'Voucher'),
  field('hidden', 'campaign', 'Campaign'),
  field('consent', 'terms', 'I accept the terms', { required: true }),
];

describe.skipIf(isChromiumMissing)('a form in a browser without scripts', () => {
  const files = createTempFolder();
  let editor: TestEditor;
  let call: Call;
  let workflow: string;
  let page: Page;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
    workflow = await createFormWorkflow(call, {
      endpoint: 'booking',
      title: 'Book a stay',
      description: 'We reply within a day.',
      fields: FIELDS,
      brand: { name: 'Hotel Astoria', colour: '#7a1f3d' },
    });
    const { context } = await editor.browser.open({ hasScripts: false });
    page = await context.newPage();
    writeFileSync(path.join(files.path, 'passport.pdf'), '%PDF');
    writeFileSync(path.join(files.path, 'voucher.txt'), 'V-17');
  });
  afterAll(async () => {
    await editor?.close();
    files.remove();
  });
  const url = (query = ''): string => `${editor.service.url}/forms/booking${query}`;

  test('twenty fields and two files: errors keep what was entered, and the submission arrives', async () => {
    await page.goto(url('?campaign=spring'));
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace of Ockham');
    await page.getByLabel('Email').fill('ada');
    await page.getByLabel('Country').selectOption('Belgium');
    await page.getByLabel(/^Arrival/).fill('2026-12-01');
    await page.getByLabel('Time of arrival').fill('14:30');
    await page.getByLabel('When may we call you?').fill('2026-11-30T10:00');
    await page.getByLabel('Guests').fill('many');
    await page.getByLabel('Double bed').check();
    await page.getByLabel('Breakfast').check();
    await page.getByLabel('Late checkout').check();
    // The field that depends on the payment appears without a script.
    expect(await page.getByLabel('Tax number').isVisible()).toBe(false);
    await page.getByLabel('Card').check();
    expect(await page.getByLabel('Tax number').isVisible()).toBe(false);
    await page.getByLabel('Invoice').check();
    await expect.poll(() => page.getByLabel('Tax number').isVisible()).toBe(true);
    await page.getByLabel('Notes').fill('Two\nlines');
    await page.getByRole('button', { name: 'Submit' }).click();

    const summary = page.getByRole('alert');
    await summary.waitFor();
    expect(await page.title()).toBe('Error: Book a stay');
    expect((await summary.getByRole('listitem').allTextContents()).map((line) => line.trim())).toEqual([
      'Last name: Enter at most 10 characters.',
      'Email: Enter an email address, such as name@example.com.',
      'Guests: Enter a number.',
      'Tax number: This field is required.',
      'Passport: This field is required.',
      'I accept the terms: This field is required.',
    ]);
    await saveShot(page, 'form-errors');
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Ada');
    await expect.poll(() => page.getByLabel('Notes').inputValue()).toBe('Two\nlines');
    await expect.poll(() => page.getByLabel('Late checkout').isChecked()).toBe(true);
    await expect.poll(() => page.getByLabel('Country').inputValue()).toBe('Belgium');
    // A link of the summary leads to the field, which is described by its error.
    await summary.getByRole('link', { name: /^Guests/ }).click();
    const guests = page.getByLabel('Guests');
    await expect.poll(() => guests.evaluate((element) => element.matches(':target'))).toBe(true);
    await expect.poll(() => guests.getAttribute('aria-describedby')).toBe('f-guests-error');

    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Email').fill('ada@example.com');
    await guests.fill('2');
    await page.getByLabel('Tax number').fill('BE 0123');
    await page.getByLabel('Passport').setInputFiles(path.join(files.path, 'passport.pdf'));
    await page.getByLabel('Voucher').setInputFiles(path.join(files.path, 'voucher.txt'));
    await page.getByLabel('I accept the terms').check();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await saveShot(page, 'form-final');

    const { body } = await waitUntil(
      () => call('GET', `/executions?workflow_id=${workflow}`),
      ({ body: list }) => (list as { executions: object[] }).executions.length === 1,
    );
    const [{ id }] = (body as { executions: [{ id: string }] }).executions;
    const { input } = (await call('GET', `/executions/${id}`)).body as {
      input: { fields: Record<string, unknown> };
    };
    expect(input.fields).toMatchObject({
      first_name: 'Ada',
      last_name: 'Lovelace',
      guests: 2,
      extras: ['Breakfast', 'Late checkout'],
      payment: 'Invoice',
      tax: 'BE 0123',
      campaign: 'spring',
      terms: true,
      call: '2026-11-30T10:00',
      passport: { $file: { name: 'passport.pdf', content_type: 'application/pdf', size: 4 } },
      voucher: { $file: { name: 'voucher.txt', size: 4 } },
    });
  });

  test('axe finds nothing, at 390 and 1,440 px, light and dark, with and without errors', async () => {
    const { page: scripted, context } = await editor.browser.open();
    for (const width of [390, 1440]) {
      await scripted.setViewportSize({ width, height: 900 });
      for (const theme of ['light', 'dark'] as const) {
        await scripted.emulateMedia({ colorScheme: theme });
        await scripted.goto(url());
        expect(await runAxe(scripted)).toEqual([]);
        await saveShot(scripted, `form-${width}-${theme}`);
        await scripted.getByRole('button', { name: 'Submit' }).click();
        await scripted.getByRole('alert').waitFor();
        expect(await runAxe(scripted)).toEqual([]);
        await saveShot(scripted, `form-errors-${width}-${theme}`);
      }
    }
    await context.close();
  });

  test('the editor shows the URL of the form, and opens it', async () => {
    const { page: canvas, context, node } = await openCanvas(editor, call, workflow, { isAlone: true });
    await node('form').click();
    const panel = canvas.getByRole('region', { name: 'Form', exact: true });
    await panel.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => panel.locator('code').textContent()).toBe(url());
    await panel.getByRole('button', { name: 'Copy form URL' }).waitFor();
    await saveShot(canvas, 'form-node');
    // Every field but a page needs a name, although the schema leaves it out for pages.
    const name = canvas.getByText('Name in the output').first();
    await name.waitFor();
    expect(await name.textContent()).not.toContain('optional');
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      panel.getByRole('link', { name: 'Open form' }).click(),
    ]);
    await opened.getByRole('heading', { name: 'Book a stay' }).waitFor();
    await context.close();
  });

  test('a form in the middle of a run: from the inbox to the continued execution', async () => {
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        {
          id: 'documents',
          type: 'form',
          config: {
            title: 'Documents for {{ input.name }}',
            description: 'We need two documents.',
            brand: { name: 'Hotel Astoria', colour: '#7a1f3d' },
            fields: [
              field('email', 'email', 'Email', { required: true }),
              field('choice', 'kind', 'Kind', { options: ['Company', 'Person'], required: true }),
              field('text', 'tax', 'Tax number', {
                required: true,
                show_when: { field: 'kind', equals: 'Company' },
              }),
              field('page', '', 'Documents', { name: undefined }),
              field('file', 'passport', 'Passport', { required: true, accept: ['.pdf'] }),
            ],
          },
        },
      ],
      connections: [{ from: 'start', to: 'documents' }],
    };
    const made = await call('POST', '/workflows', { body: { name: 'Check-in', definition } });
    const { id } = made.body as { id: string };
    const started = await call('POST', `/workflows/${id}/execute`, { body: { input: { name: 'Ada' } } });
    const execution = (started.body as { id: string }).id;
    await waitUntil(
      () => call('GET', `/executions/${execution}`),
      ({ body }) => (body as { status: string }).status === 'waiting',
    );

    const { page: inbox, context } = await editor.browser.open();
    await signIn(inbox, editor.origin, '/inbox');
    await inbox.getByRole('link', { name: 'Documents for Ada' }).click();
    const dialog = inbox.getByRole('dialog', { name: 'Documents for Ada' });
    expect(await dialog.getByLabel('Comment').count()).toBe(0);
    await saveShot(inbox, 'form-node-inbox');
    const link = await dialog.getByRole('link', { name: 'Open form' }).getAttribute('href');
    await context.close();

    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await page.goto(link!);
        await page.getByLabel('Email').fill('ada');
        await page.getByLabel('Company').check();
        await page.getByRole('button', { name: 'Next' }).click();
        await page.getByRole('alert').waitFor();
        await saveShot(page, `form-node-errors-${width}-${theme}`);
      }
    }
    expect(await page.getByLabel('Email').inputValue()).toBe('ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Tax number').fill('BE 0123');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    expect(await page.getByLabel('Tax number').inputValue()).toBe('BE 0123');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Passport').setInputFiles(path.join(files.path, 'voucher.txt'));
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Passport: Choose a file of these types: .pdf.').waitFor();
    await page.getByLabel('Passport').setInputFiles(path.join(files.path, 'passport.pdf'));
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const { body } = await waitUntil(
      () => call('GET', `/executions/${execution}`),
      ({ body: one }) => (one as { status: string }).status === 'completed',
    );
    expect((body as { output: object }).output).toMatchObject({
      fields: { email: 'ada@example.com', tax: 'BE 0123', passport: { $file: { name: 'passport.pdf' } } },
      submitted_by: { email: 'admin@example.com' },
    });
    await page.goto(link!);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  });

  test('a form for users: the session of the editor submits it, and its links are in the panel', async () => {
    const config = {
      endpoint: 'staff',
      title: 'Report a problem',
      fields: [field('text', 'what', 'What', { required: true })],
    };
    const staff = await createFormWorkflow(call, { ...config, access: 'users' });
    await page.goto(`${editor.service.url}/forms/staff`);
    await page.getByRole('heading', { name: 'Log in to open this form' }).waitFor();
    await saveShot(page, 'form-login');

    const { page: own, context } = await editor.browser.open();
    await signIn(own, editor.origin, '/');
    await own.goto(`${editor.service.url}/forms/staff`);
    await own.getByLabel('What').fill('The lamp');
    await own.getByRole('button', { name: 'Submit' }).click();
    await own.getByRole('heading', { name: 'Thank you' }).waitFor();
    const { body } = await waitUntil(
      () => call('GET', `/executions?workflow_id=${staff}`),
      ({ body: list }) => (list as { executions: object[] }).executions.length === 1,
    );
    const [{ id }] = (body as { executions: [{ id: string }] }).executions;
    expect((await call('GET', `/executions/${id}`)).body).toMatchObject({
      input: { fields: { what: 'The lamp' }, submitted_by: { email: 'admin@example.com' } },
    });
    await context.close();

    const linked = await createFormWorkflow(call, {
      ...config,
      endpoint: 'guests',
      access: 'link',
      links: [{ name: 'hotel', expires_at: '2999-01-31' }],
    });
    const view = await openCanvas(editor, call, linked, { isAlone: true });
    await view.node('form').click();
    const panel = view.page.getByRole('region', { name: 'Form', exact: true });
    await panel.getByRole('button', { name: 'Copy link hotel' }).waitFor();
    await saveShot(view.page, 'form-links');
    const link = await panel.locator('code').last().textContent();
    await view.context.close();
    await page.goto(`${editor.service.url}/forms/guests`);
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await page.goto(link!);
    await page.getByLabel('What').fill('The lamp');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  });
});
