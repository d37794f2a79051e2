import type { Page } from 'playwright-core';
import { adminEmail, adminPassword } from '../harness/service.ts';

/** As a person does it: by the form. */
export async function signIn(
  page: Page,
  origin: string,
  who: { email: string; password: string } = { email: adminEmail, password: adminPassword },
): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
}
