import type { Page } from 'playwright-core';
import { createClient, type Session } from '../../sdk/src/index.ts';
import { adminEmail, adminPassword } from '../harness/service.ts';

type Who = { email: string; password: string };

const administrator: Who = { email: adminEmail, password: adminPassword };
const kept = new Map<string, Session>();

/** As a person does it: by the form. */
export async function signInByForm(page: Page, origin: string, who: Who = administrator): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
}

/** The administrator opens a page with a session that the browser has kept: the shortest way to what a test is about. */
export async function signIn(page: Page, origin: string, at = '/workflows'): Promise<void> {
  let session = kept.get(origin);
  if (session === undefined) {
    const client = createClient({
      baseUrl: origin,
      onSession: (begun) => {
        if (begun !== null) kept.set(origin, begun);
      },
    });
    await client.auth.login(administrator);
    session = kept.get(origin);
  }
  const localStorage = [{ name: 'weft.session', value: JSON.stringify(session) }];
  await page.context().setStorageState({ cookies: [], origins: [{ origin, localStorage }] });
  await page.goto(`${origin}${at}`);
}

/** Another place of the page that is open, as by a link of it: nothing is loaded anew. */
export async function go(page: Page, where: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(where)})`);
}
