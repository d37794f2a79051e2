import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChatPageWorkflow } from '../../support/ai/chat-page-workflow.ts';
import { startModelServer, type ChatMessage, type ModelServer } from '../../support/ai/model-server.ts';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

const last = (messages: readonly ChatMessage[]): ChatMessage | undefined =>
  messages.findLast(({ role }) => role === 'user');
const toText = (message: ChatMessage | undefined): string => JSON.stringify(message?.content ?? '');

describe.skipIf(isChromiumMissing)('the page of a chat', () => {
  let editor: TestEditor;
  let api: Call;
  let models: ModelServer;
  let site: Server;
  let siteOrigin: string;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;
  /** Called before each word of a streamed text. */
  let pace: (word: number) => Promise<boolean>;

  beforeAll(async () => {
    models = await startModelServer(
      ({ messages }) =>
        messages.at(-1)?.role === 'user' && toText(last(messages)).includes('pay')
          ? { calls: [{ name: 'pay', arguments: { amount: 20 } }] }
          : { text: `This is the response to ${toText(last(messages))}` },
      { pace: (word) => pace(word) },
    );
    site = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      const src = new URL(request.url ?? '/', 'http://site').searchParams.get('src') ?? '';
      response.end(`<!doctype html><title>Shop</title><h1>Shop</h1><script src="${src}"></script>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: '127.0.0.1' });
    api = await editor.service.login();
    view = await editor.browser.open();
    page = view.page;
  });
  afterAll(async () => {
    await editor?.close();
    site?.close();
    await models?.close();
  });
  beforeEach(() => {
    pace = () => Promise.resolve(true);
    return () => expect(view.pageErrors).toEqual([]);
  });

  /** Returns the URL of the page, as the triggers of the workflow have it. */
  async function create(name: string, settings: object): Promise<string> {
    const body = createChatPageWorkflow(models, name, settings);
    const created = await api('POST', '/workflows', { body });
    expect(created.status, created.text).toBe(201);
    const { triggers } = created.body as { triggers: { url: string; links?: { url: string }[] }[] };
    return triggers[0]!.links?.[0]?.url ?? triggers[0]!.url;
  }
  async function send(text: string): Promise<void> {
    await page.getByLabel('Message').fill(text);
    await page.getByLabel('Message').press('Enter');
  }
  const messages = () => page.getByRole('log').getByRole('listitem').allInnerTexts();
  /** Holds the text of the model after some words until it is released. */
  function holdText(): () => void {
    let release = (): void => {};
    const held = new Promise<boolean>((resolve) => (release = () => resolve(true)));
    pace = (word) => (word < 5 ? Promise.resolve(true) : held);
    return () => release();
  }

  test('streams a response, and shows the conversation again after a reload', async () => {
    const url = await create('public', {
      title: 'Support of the shop',
      welcome: 'How can we help?',
      brand: { name: 'Shop', colour: '#7a1f3d' },
    });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Support of the shop' }).waitFor();
    const release = holdText();
    await send('Where is my order?');
    await page.getByText('This is the').waitFor();
    expect(await page.getByText('Where is my order?', { exact: false }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'chat-page');
    release();
    await page.getByText('This is the response to "Where is my order?"').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(false);
    await page.reload();
    await page.getByText('This is the response to "Where is my order?"').waitFor();
    expect(await messages()).toHaveLength(3);
    await send('And now?');
    await page.getByText('This is the response to "And now?"').waitFor();
    expect(models.chats.at(-1)!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'chat-page-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: 'New chat' }).click();
    await expect.poll(messages).toHaveLength(1);
  });

  test('continues after kill -9 of the service, and after a reload while the model writes', async () => {
    await page.goto(await create('killed', {}));
    const release = holdText();
    await send('Still there?');
    await page.getByText('This is the').waitFor();
    await editor.service.kill9();
    await page.getByText('The connection was lost.').waitFor();
    await editor.restart();
    api = await editor.service.login();
    release();
    await page.getByText('This is the response to "Still there?"').waitFor();
    const again = holdText();
    await send('And now?');
    await page.getByText('This is the', { exact: false }).nth(1).waitFor();
    await page.reload();
    again();
    await page.getByText('This is the response to "And now?"').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(false);
    expect(await messages()).toHaveLength(4);
    await page.reload();
    await page.getByText('This is the response to "And now?"').waitFor();
    expect(await messages()).toHaveLength(4);
  });

  test('a link with a message sends nothing, and offers its text', async () => {
    const url = `${await create('fragment', {})}?chat=0123456789abcdef`;
    const message = { id: 'message-0123456789', text: 'Pay 9000' };
    const calls = models.chats.length;
    await page.goto(`${url}#${encodeURIComponent(JSON.stringify(message))}`);
    const field = page.getByLabel('Message');
    await expect.poll(() => field.inputValue()).toBe('Pay 9000');
    expect(await messages()).toEqual([]);
    expect(models.chats.length).toBe(calls);
    await field.press('Enter');
    await page.getByText('This is the response to "Pay 9000"').waitFor();
  });

  test('continues by Last-Event-ID after the connection was cut', async () => {
    await page.goto(await create('cut', {}));
    const release = holdText();
    await send('Hello?');
    await page.getByText('This is the').waitFor();
    const resumed = page.waitForRequest((request) => request.headers()['last-event-id'] !== undefined);
    await editor.service.stop();
    await editor.restart();
    api = await editor.service.login();
    release();
    expect((await resumed).headers()['last-event-id']).toMatch(/^\d+\.\d+/);
    await page.getByText('This is the response to "Hello?"').waitFor();
    expect(await messages()).toHaveLength(2);
  });

  test('a user who is asked can decide, and others only see that a person is asked', async () => {
    const forAll = await create('asks', {});
    await page.goto(forAll);
    await send('Please pay');
    await page.getByText('A person is asked to decide.').waitFor();
    expect(await page.getByText('Pay 20?').count()).toBe(0);
    const url = await create('asks-users', { access: 'users' });
    await page.goto(url);
    await page.getByText('Log in to open this form').waitFor();
    await signIn(page, editor.origin, '/inbox');
    await page.goto(url);
    await send('Please pay');
    await page.getByText('Pay 20?').waitFor();
    const [tab] = await Promise.all([
      view.context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open the decision' }).click(),
    ]);
    await tab.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('This is the response to "Please pay"').waitFor();
    await tab.close();
  });

  test('cannot act with the session of the editor', async () => {
    const url = await create('confined', { access: 'users' });
    await page.goto(url);
    await page.getByRole('log').waitFor();
    expect(await page.evaluate('location.origin + " " + self.origin')).toMatch(/ null$/);
    const attempt = await page.evaluate(
      `fetch('${editor.origin}/v1/users/me', { credentials: 'include' }).then((r) => r.status, () => 'refused')`,
    );
    expect(attempt).toBe('refused');
    // The browser reports the refusal.
    expect(view.pageErrors.splice(0)).toEqual([expect.stringContaining("from origin 'null'")]);
    expect(await page.evaluate('(() => { try { return document.cookie } catch { return "none" } })()')).toBe(
      'none',
    );
  });

  test('attaches files, and a link opens the page until it is removed', async () => {
    const url = await create('files', {
      access: 'link',
      links: [{ name: 'customers', expires_at: '2099-01-31' }],
      files: true,
    });
    await page.goto(url.replace(/\?.*/, ''));
    await page.getByText('This link is not valid').waitFor();
    await page.goto(url);
    await page.getByLabel('Attach files').setInputFiles({
      name: 'a.png',
      mimeType: 'image/png',
      buffer: Buffer.from('89504e470d0a1a0a', 'hex'),
    });
    await send('See this');
    await page.getByText('This is the response to').waitFor();
    expect(JSON.stringify(models.chats.at(-1)!.messages)).toContain('data:image/png;base64');
    await page.reload();
    await page.getByText('[File: a.png]').waitFor();
  });

  test('is embedded by one script tag, only by the sites that the workflow names', async () => {
    const url = await create('embedded', { embed_origins: [siteOrigin] });
    const shop = (src: string): string => `${siteOrigin}/?src=${encodeURIComponent(src)}`;
    await page.goto(shop(`${url}/embed.js`));
    await page.getByRole('button', { name: 'Open chat' }).click();
    const frame = page.frameLocator('iframe[title="embedded"]');
    await frame.getByLabel('Message').fill('From the shop');
    await frame.getByLabel('Message').press('Enter');
    await frame.getByText('This is the response to "From the shop"').waitFor();
    await saveShot(page, 'chat-embedded');
    await page.reload();
    await page.getByRole('button', { name: 'Open chat' }).click();
    await frame.getByText('This is the response to "From the shop"').waitFor();
    const other = await create('not-embedded', { embed_origins: ['https://www.example.com'] });
    await page.goto(shop(`${other}/embed.js`));
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.getByRole('button', { name: 'Open chat' }).click();
    await refused;
    expect(view.pageErrors.splice(0)).toEqual([expect.stringContaining('frame-ancestors')]);
  });

  test.each([
    ['de-DE', 'Nachricht', 'Neuer Chat'],
    ['ja-JP', 'メッセージ', '新しいチャット'],
  ])('speaks %s', async (language, message, newChat) => {
    const url = await create(`speaks-${language}`, {});
    const context = await view.context.browser()!.newContext({ locale: language });
    const own = await context.newPage();
    await own.goto(url);
    await own.getByLabel(message).waitFor();
    await own.getByRole('link', { name: newChat }).waitFor();
    await context.close();
  });
});
