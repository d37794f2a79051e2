import type { Page } from 'playwright-core';
import { adminEmail, adminPassword } from '../../support/service.ts';

type Who = { email: string; password: string };

const administrator: Who = { email: adminEmail, password: adminPassword };
type Kept = { cookie: { name: string; value: string }; login: { expires_in: number; user: object } };
const kept = new Map<string, Kept>();

/** As a person does it: by the form. */
export async function signInByForm(page: Page, origin: string, who: Who = administrator): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
}

/** Opens a page as the administrator, with a stored session, which is faster than the login form. */
export async function signIn(page: Page, origin: string, at = '/workflows'): Promise<void> {
  const session = kept.get(origin) ?? (await beginSession(origin));
  kept.set(origin, session);
  const { cookie, login } = session;
  const known = { expiresAt: Date.now() + login.expires_in * 1_000, user: login.user };
  const localStorage = [{ name: 'weft.login', value: JSON.stringify(known) }];
  const { hostname: domain } = new URL(origin);
  const sent = { ...cookie, domain, path: '/', expires: -1, httpOnly: true, secure: false } as const;
  await page.context().setStorageState({
    cookies: [{ ...sent, sameSite: 'Lax' }],
    origins: [{ origin, localStorage }],
  });
  await page.goto(`${origin}${at}`);
}

async function beginSession(origin: string): Promise<Kept> {
  const response = await fetch(`${origin}/v1/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-weft-csrf': '1', origin },
    body: JSON.stringify(administrator),
  });
  const [, name, value] = /^([^=]+)=([^;]+);/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`The login failed: ${await response.text()}`);
  return { cookie: { name, value }, login: (await response.json()) as Kept['login'] };
}

/** Another place of the page that is open, as by a link of it: nothing is loaded anew. */
export async function openPage(page: Page, where: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(where)})`);
}
