import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil, type Call } from '../support/service.ts';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { listFindingsInBothThemes, runAxe } from './support/axe.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { signIn } from './support/sign-in.ts';

const offer = {
  operation: 'create',
  files: [{ path: 'offer.txt', content: 'Three nights, 412 EUR' }],
  filename: 'Offer of the hotel.zip',
};
/** Values in a message must stay text. */
const HOSTILE = '<img src=x onerror=alert(1)> [Approve](https://evil.example)\n# Approved';
const MESSAGE = [
  'Three nights for the **trade fair**, asked by {{ trigger.name }}.',
  '### Costs',
  '| Item | EUR |',
  '|---|---|',
  '| Hotel | 412 |',
  '| Train | 96 |',
  '',
  '- within the budget of `travel`',
  '- see the [travel rules](https://example.com/rules)',
  '',
  '> The offer is valid until Friday.',
  '',
  '![logo](https://evil.example/logo.png) <b>raw</b> [bad](javascript:alert(1))',
].join('\n');

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

describe.skipIf(isChromiumMissing)('decisions', () => {
  let editor: TestEditor;
  let api: Call;
  let mail: TestMailServer;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;

  /** Starts an execution that asks, and returns its id when the question is there. */
  async function ask(title: string, config: object = {}, input: object = {}): Promise<string> {
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'offer', type: 'zip', config: offer },
        { id: 'ask', type: 'approval', config: { title, ...config } },
        { id: 'pay', type: 'notify', config: { message: 'Paid' } },
      ],
      connections: [
        { from: 'start', to: 'offer' },
        { from: 'offer', to: 'ask' },
        { from: 'ask', sourcePort: 'approved', to: 'pay' },
      ],
    };
    const made = await api('POST', '/workflows', { body: { name: 'Travel expenses', definition } });
    const { id } = made.body as { id: string };
    const started = await api('POST', `/workflows/${id}/execute`, { body: { input } });
    const execution = (started.body as { id: string }).id;
    await waitUntil(
      () => api('GET', '/decisions?view=owned&limit=100'),
      ({ text }) => text.includes(execution),
    );
    return execution;
  }
  const statusOf = async (id: string): Promise<string> =>
    ((await api('GET', `/executions/${id}`)).body as { status: string }).status;
  const title = (text: string) => page.getByRole('link', { name: text, exact: true });

  beforeAll(async () => {
    [editor, mail] = await Promise.all([openEditor(), startMailServer()]);
    api = await editor.service.login();
    await api('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
    view = await editor.browser.open();
    page = view.page;
    await signIn(page, editor.origin, '/inbox');
  });
  afterAll(async () => {
    await editor?.close();
    await mail?.close();
  });
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  test('a question arrives in the open inbox, and gets a response with a comment', async () => {
    await page.getByText('Nothing to decide').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const [execution] = await Promise.all([
      ask('Hotel in Ghent, 412 EUR', {
        message: 'Three nights for the trade fair.\nThe budget of the month is 2,000 EUR.',
      }),
      // It disappears after some seconds.
      page.getByText('Decision needed: Hotel in Ghent').first().waitFor(),
    ]);
    await title('Hotel in Ghent, 412 EUR').waitFor();
    await page.getByRole('link', { name: 'Inbox 1 open' }).waitFor();
    await saveShot(page, 'inbox');
    await title('Hotel in Ghent, 412 EUR').click();
    const dialog = page.getByRole('dialog', { name: 'Hotel in Ghent, 412 EUR' });
    await dialog.getByText('Three nights').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'inbox-decision');
    await dialog.getByLabel('Comment').fill('Have a good trip');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Nothing to decide').waitFor();
    await expect.poll(() => statusOf(execution)).toBe('completed');
    await page.getByRole('radio', { name: 'Closed' }).click();
    await title('Hotel in Ghent, 412 EUR').click();
    await dialog.getByText('Have a good trip').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  });

  test('a message is formatted, its values are text, and its attachment is downloaded', async () => {
    const config = { message: MESSAGE, attachments: ['{{ nodes.offer }}'] };
    await ask('Hotel in Ghent with an offer', config, { name: HOSTILE });
    await page.goto(`${editor.origin}/inbox`);
    await title('Hotel in Ghent with an offer').click();
    const dialog = page.getByRole('dialog', { name: 'Hotel in Ghent with an offer' });
    await dialog.getByRole('heading', { name: 'Costs', level: 5 }).waitFor();
    expect(await dialog.getByRole('cell').allTextContents()).toEqual(['Hotel', '412', 'Train', '96']);
    const message = dialog.locator('.markdown');
    expect(await message.locator('img, script, iframe, b').count()).toBe(0);
    await message.getByText('<img src=x onerror=alert(1)> [Approve](https://evil.example)').waitFor();
    await message.getByText('<b>raw</b> [bad](javascript:alert(1))').waitFor();
    expect(await message.getByRole('heading').count()).toBe(1);
    const link = message.getByRole('link');
    expect(await link.count()).toBe(1);
    expect(await link.evaluate((a) => [a.getAttribute('href'), a.getAttribute('rel')])).toEqual([
      'https://example.com/rules',
      'noopener noreferrer nofollow',
    ]);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'inbox-message');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download Offer of the hotel.zip' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Offer of the hotel.zip');
    expect((await readFile(await download.path())).subarray(0, 2).toString()).toBe('PK');
    await page.emulateMedia({ colorScheme: 'dark' });
    await saveShot(page, 'inbox-message-dark');
    await page.setViewportSize(PHONE);
    await saveShot(page, 'inbox-message-narrow-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await saveShot(page, 'inbox-message-narrow');
    await page.setViewportSize(DESKTOP);
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('a question with fields names each wrong one, and shows what was filled in', async () => {
    const execution = await ask('Post about bees', {
      fields: [
        { type: 'long_text', name: 'text', label: 'Text', required: true, default: 'Bees dance.' },
        { type: 'choice', name: 'channel', label: 'Channel', options: ['Blog', 'Mail'], required: true },
        {
          type: 'text',
          name: 'list',
          label: 'Mailing list',
          required: true,
          show_when: { field: 'channel', equals: 'Mail' },
        },
        { type: 'number', name: 'priority', label: 'Priority', max: 5 },
        { type: 'choices', name: 'tags', label: 'Tags', options: ['nature', 'food'] },
        { type: 'consent', name: 'facts', label: 'I checked the facts', required: true },
      ],
    });
    await page.goto(`${editor.origin}/inbox`);
    await title('Post about bees').waitFor();
    await expect
      .poll(() => page.getByRole('checkbox', { name: 'Select Post about bees' }).isDisabled())
      .toBe(true);
    await title('Post about bees').click();
    const dialog = page.getByRole('dialog', { name: 'Post about bees' });
    await expect.poll(() => dialog.getByLabel('Text').inputValue()).toBe('Bees dance.');
    expect(await dialog.getByLabel('Mailing list').count()).toBe(0);
    await dialog.getByLabel('Channel').selectOption('Mail');
    await dialog.getByLabel('Priority').fill('9');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByText('Enter a number of at most 5.').waitFor();
    await expect.poll(() => dialog.getByRole('alert').count()).toBe(3);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'inbox-fields');
    await dialog.getByLabel('Mailing list').fill('news');
    await dialog.getByLabel('Priority').fill('2');
    await dialog.getByLabel('Text').fill('Bees dance to talk.');
    await dialog.getByLabel('food').check();
    await dialog.getByLabel('I checked the facts').check();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => statusOf(execution)).toBe('completed');
    await page.getByRole('radio', { name: 'Closed' }).click();
    await title('Post about bees').click();
    await dialog.getByText('Bees dance to talk.').waitFor();
    await dialog.getByText('food').waitFor();
    await saveShot(page, 'inbox-fields-closed');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  });

  test('several get a response at once', async () => {
    const executions = [await ask('Train to Lyon'), await ask('Taxi'), await ask('Dinner')];
    await page.goto(`${editor.origin}/inbox`);
    await title('Dinner').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('checkbox', { name: 'Select Taxi' }).uncheck();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('2 selected').waitFor();
    await saveShot(page, 'inbox-selection');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('2 responses sent').first().waitFor();
    await expect.poll(() => statusOf(executions[0]!)).toBe('completed');
    await expect.poll(() => statusOf(executions[2]!)).toBe('completed');
    expect(await statusOf(executions[1]!)).toBe('waiting');
  });

  test('on a narrow screen', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${editor.origin}/inbox`);
    await title('Taxi').click();
    await page.getByRole('dialog', { name: 'Taxi' }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'inbox-narrow');
  });

  test('a person without an account responds on a page without scripts', async () => {
    await ask('Hotel in Ghent, 412 EUR', {
      message: MESSAGE.replace('{{ trigger.name }}', 'Ada'),
      attachments: ['{{ nodes.offer }}'],
      assignees: ['guest@example.com'],
      fields: [
        { type: 'number', name: 'amount', label: 'Amount', required: true, default: '412', max: 500 },
        { type: 'choice', name: 'account', label: 'Account', options: ['Travel', 'Other'], required: true },
        {
          type: 'text',
          name: 'reason',
          label: 'Reason',
          required: true,
          show_when: { field: 'account', equals: 'Other' },
        },
      ],
      email: { credentials: '{{ secrets.MAIL }}', from: 'Weft <weft@example.com>' },
    });
    await waitUntil(
      () => Promise.resolve(mail.received.length),
      (received) => received > 0,
    );
    const text = mail.received[0]!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const link = /open this page:\s+(https?:\/\/\S+)/.exec(text)![1]!;
    const guest = await editor.browser.open({ size: PHONE });
    for (const theme of ['light', 'dark'] as const) {
      await guest.page.emulateMedia({ colorScheme: theme });
      await guest.page.goto(link);
      expect(await runAxe(guest.page)).toEqual([]);
      await saveShot(guest.page, `decision-page-${theme}`);
    }
    for (const theme of ['light', 'dark'] as const) {
      await guest.page.emulateMedia({ colorScheme: theme });
      await guest.page.setViewportSize(DESKTOP);
      await saveShot(guest.page, `decision-page-wide-${theme}`);
      await guest.page.setViewportSize(PHONE);
    }
    const [file] = await Promise.all([
      guest.page.waitForEvent('download'),
      guest.page.getByRole('link', { name: 'Offer of the hotel.zip' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('Offer of the hotel.zip');
    expect(await guest.page.getByLabel('Reason').isVisible()).toBe(false);
    await guest.page.getByLabel('Comment').fill('Fine');
    await guest.page.getByLabel('Amount').fill('900');
    await guest.page.getByLabel('Other').check();
    await guest.page.getByRole('button', { name: 'Approve' }).click();
    await guest.page.getByText('Amount: Enter a number of at most 500.').waitFor();
    for (const theme of ['light', 'dark'] as const) {
      await guest.page.emulateMedia({ colorScheme: theme });
      expect(await runAxe(guest.page)).toEqual([]);
      await saveShot(guest.page, `decision-page-errors-${theme}`);
    }
    await expect.poll(() => guest.page.getByLabel('Comment').inputValue()).toBe('Fine');
    await guest.page.getByLabel('Amount').fill('450');
    await guest.page.getByLabel('Reason').fill('A gift');
    await guest.page.getByRole('button', { name: 'Approve' }).click();
    await guest.page.getByText('Decided: Approve').waitFor();
    expect(await runAxe(guest.page)).toEqual([]);
    await saveShot(guest.page, 'decision-page-decided');
    await guest.page.goto(`${link}x`);
    await guest.page.getByText('This link is not valid').waitFor();
    await guest.page.close();
  });

  test('are counted in the navigation, whose collapsed icons stay in one line', async () => {
    await ask('Counted');
    await page.setViewportSize(DESKTOP);
    const link = (where: string) => page.locator(`.nav__link[href="${where}"]`);
    await page.goto(`${editor.origin}/inbox`);
    await link('/inbox')
      .getByLabel(/^\d+ open$/)
      .waitFor();
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    const [inbox, threads] = await Promise.all(
      ['/inbox', '/threads'].map(async (where) => (await link(where).locator('svg').boundingBox())!),
    );
    expect(inbox!.x).toBe(threads!.x);
    await saveShot(page, 'inbox-rail');
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
  });
});
