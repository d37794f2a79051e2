import path from 'node:path';
import type { Page } from 'playwright-core';

/** Saves a screenshot to the folder WEFT_TEST_SHOTS, if the variable is set. */
export async function saveShot(page: Page, name: string): Promise<void> {
  const folder = process.env['WEFT_TEST_SHOTS'];
  if (folder !== undefined && folder !== '')
    await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
}
