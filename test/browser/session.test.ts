import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { adminEmail, adminPassword } from '../support/service.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { signInByForm } from './support/sign-in.ts';

/** Everything that a script on the origin can read and that lasts. */
async function readStoredData(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await Promise.all(
      (await indexedDB.databases()).map(
        ({ name = '' }) =>
          new Promise<unknown>((resolve, reject) => {
            const opening = indexedDB.open(name);
            opening.addEventListener('error', () => reject(new Error(name)));
            opening.addEventListener('success', () => {
              const database = opening.result;
              const stores = [...database.objectStoreNames];
              if (stores.length === 0) return resolve([]);
              const reading = database.transaction(stores);
              const found = stores.map((store) => reading.objectStore(store).getAll());
              reading.addEventListener('complete', () => resolve(found.map((one) => one.result as unknown)));
            });
          }),
      ),
    );
    const kept = [localStorage, sessionStorage].map((storage) => Object.entries(storage));
    return JSON.stringify([document.cookie, kept, databases]);
  });
}

async function readSessionCookie(context: BrowserContext, origin: string) {
  const [cookie, ...others] = await context.cookies(origin);
  expect(others).toEqual([]);
  return cookie!;
}

/** Runs in the page: reports each response of `/v1/auth/` before the editor gets it. */
function reportAuthResponses(): void {
  const { reportResponse } = window as unknown as { reportResponse: (text: string) => Promise<void> };
  const send = window.fetch.bind(window);
  window.fetch = async (...request) => {
    const response = await send(...request);
    const { pathname } = new URL(response.url);
    if (pathname.startsWith('/v1/auth/'))
      await reportResponse(`${pathname} ${await response.clone().text()}`);
    return response;
  };
}

const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

describe.skipIf(isChromiumMissing)('the session of a browser', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
    const api = await editor.service.login();
    await api('POST', '/workflows', { body: { name: 'There before' } });
  });
  afterAll(() => editor?.close());

  test('is in a cookie that no script can read, from sign-in to sign-out, in all tabs', async () => {
    const { page, context, pageErrors } = await editor.browser.open();
    const seen: string[] = [];
    await context.exposeFunction('reportResponse', (text: string) => void seen.push(text));
    // Chromium drops the bodies of responses when the page navigates. The page therefore reports them itself.
    await context.addInitScript(reportAuthResponses);
    await signInByForm(page, editor.origin);
    const cookie = await readSessionCookie(context, editor.origin);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/', secure: false });
    expect(cookie.name).toBe(`weft_session_${new URL(editor.origin).port}`);
    expect(cookie.value).toMatch(TOKEN);

    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByLabel('Name').fill('Made by cookie');
    await page.getByRole('button', { name: 'Create and open' }).click();
    await page.waitForURL(/\/workflows\/wf_/);
    await page.reload();
    await page.getByText('Made by cookie').first().waitFor();
    const second = await context.newPage();
    await second.goto(`${editor.origin}/workflows`);
    await second.getByRole('link', { name: 'Made by cookie' }).waitFor();
    for (const tab of [page, second]) {
      const readable = await readStoredData(tab);
      expect(readable).toContain(adminEmail);
      expect(readable).not.toMatch(TOKEN);
    }
    expect(seen.join()).toContain('/v1/auth/session {');
    expect(seen.join()).not.toMatch(TOKEN);

    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    const [name, value] = [cookie.name, cookie.value];
    const reply = await editor.service.call('GET', '/users/me', {
      headers: { cookie: `${name}=${value}`, 'x-weft-csrf': '1' },
    });
    expect(reply.status).toBe(401);
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  test('opens the live updates, and cannot be used by a page of another origin', async () => {
    const { page, context } = await editor.browser.open();
    await signInByForm(page, editor.origin);
    const { port } = new URL(editor.origin);
    // The same site, another origin: the browser sends the cookie, and the service must refuse it.
    const server = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const elsewhere = await context.newPage();
    await elsewhere.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const outcome = (tab: Page): Promise<string> =>
      tab.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(url);
            socket.addEventListener('close', ({ code }) => resolve(`closed with ${code}`));
            socket.addEventListener('open', () => socket.send('{"type":"auth"}'));
            socket.addEventListener('message', ({ data }) => {
              resolve((JSON.parse(String(data)) as { type: string }).type);
            });
          }),
        `ws://127.0.0.1:${port}/v1/ws`,
      );
    expect(await outcome(page)).toBe('auth_success');
    expect(await outcome(elsewhere)).toBe('error');
    const forged = await elsewhere.evaluate(
      (url) =>
        Promise.all([
          fetch(`${url}/workflows`, {
            method: 'POST',
            mode: 'no-cors',
            credentials: 'include',
            body: '{}',
          }).then(({ type }) => type),
          fetch(`${url}/workflows`, {
            method: 'POST',
            credentials: 'include',
            headers: { 'x-weft-csrf': '1', 'content-type': 'application/json' },
            body: '{"name":"Forged"}',
          }).then(
            () => 'sent',
            () => 'refused',
          ),
        ]),
      editor.service.url,
    );
    expect(forged).toEqual(['opaque', 'refused']);
    const api = await editor.service.login();
    const list = await api('GET', '/workflows?search=Forged');
    expect(list.body).toMatchObject({ pagination: { total: 0 } });
    await context.close();
    server.closeAllConnections();
    server.close();
  });

  test('of an earlier version is removed from the browser, and requires a new sign-in', async () => {
    const { page, context } = await editor.browser.open();
    const login = await editor.service.call('POST', '/auth/login', {
      body: { email: adminEmail, password: adminPassword },
    });
    const { token, user } = login.body as { token: string; user: object };
    const session = JSON.stringify({ token, expiresAt: Date.now() + 3_600_000, user });
    const localStorage = [{ name: 'weft.session', value: session }];
    await context.setStorageState({ cookies: [], origins: [{ origin: editor.origin, localStorage }] });
    await page.goto(`${editor.origin}/workflows`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await readStoredData(page)).not.toMatch(TOKEN);
    await context.close();
  });

  test('cannot begin in a browser that keeps no cookies, and the page says so', async () => {
    const { page, context } = await editor.browser.open();
    await page.route('**/v1/auth/session', async (route) => {
      const reply = await route.fetch();
      const { 'set-cookie': _dropped, ...headers } = reply.headers();
      await context.clearCookies();
      await route.fulfill({ response: reply, headers });
    });
    await page.goto(`${editor.origin}/login`);
    await page.getByLabel('Email').fill(adminEmail);
    await page.getByLabel('Password').fill(adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('did not keep the session cookie').waitFor();
    await context.close();
  });

  test('stays when the service cannot be reached to end it', async () => {
    const { page, context } = await editor.browser.open();
    await signInByForm(page, editor.origin);
    await page.route('**/v1/auth/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
    await context.close();
  });
});
