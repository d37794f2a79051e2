import path from 'node:path';
import type { Page } from 'playwright-core';

/** Saves a screenshot to the folder of WEFT_TEST_SHOTS, so that a person can look at it; nothing without the variable. */
export async function saveShot(page: Page, name: string): Promise<void> {
  const folder = process.env['WEFT_TEST_SHOTS'];
  if (folder !== undefined && folder !== '')
    await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
}
