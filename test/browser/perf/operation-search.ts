// How long the node picker takes for a key press with an API of a thousand operations. Run on a quiet
// machine: node test/browser/perf/operation-search.ts [--packs N] [document] The document is a file in JSON
// or YAML, such as generated/api.github.com.json of @octokit/openapi; without it, one with 1,223 operations
// is made. With --packs, the operations are those of N packs.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createSignedInApi } from '../support/caller.ts';
import { openEditor } from '../support/editor.ts';
import { signIn } from '../support/sign-in.ts';
import { createLargeDocument } from './large-document.ts';

const TARGET_MS = 50;
const OPERATIONS = 1_223;
const TEXTS = ['create issue comment', 'list pull requests', 'delete webhook', 'craete isue', 'kubernetes'];

const { values, positionals } = parseArgs({
  options: { packs: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const [file] = positionals;
const packs = Number(values.packs);
const document =
  file === undefined
    ? JSON.stringify(createLargeDocument(Math.ceil(OPERATIONS / packs)))
    : readFileSync(file, 'utf8');

const editor = await openEditor();
try {
  const call = await createSignedInApi(editor.origin);
  let operations = 0;
  for (let i = 1; i <= packs; i++) {
    const { pack } = (await call('POST', '/packs', { document, name: `large_${i}` })) as {
      pack: { operations: number };
    };
    operations += pack.operations;
  }
  const trigger = {
    id: 'start',
    type: 'trigger',
    position: { x: 0, y: 0 },
    config: { triggerType: 'manual' },
  };
  const { id } = await call('POST', '/workflows', {
    name: 'Search',
    definition: { nodes: [trigger], connections: [] },
  });
  const { page } = await editor.browser.open({ size: { width: 1440, height: 900 } });
  await signIn(page, editor.origin, `/workflows/${String(id)}`);
  await page.locator('.react-flow__node').first().click();
  await page.evaluate(() => {
    const keys: number[] = [];
    Object.assign(globalThis, { keys });
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        // The first frame contains the result; it is painted before the second one begins.
        requestAnimationFrame(() =>
          requestAnimationFrame(() => void keys.push(performance.now() - timeStamp)),
        );
      },
      { capture: true },
    );
  });
  const rows: object[] = [];
  for (const text of TEXTS) {
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Add node' });
    await field.waitFor();
    // The operations are loaded when the picker is first opened.
    await field.fill('large');
    await page.getByRole('option').nth(20).waitFor();
    await field.fill('');
    const before = await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys.length);
    for (const [i, key] of text.split('').entries()) {
      await page.keyboard.press(key === ' ' ? 'Space' : key);
      await page.waitForFunction(
        (count) => (globalThis as unknown as { keys: number[] }).keys.length >= count,
        before + i + 1,
      );
    }
    const keys = await page.evaluate(
      (from) => (globalThis as unknown as { keys: number[] }).keys.slice(from),
      before,
    );
    const sorted = keys.toSorted((a, b) => a - b);
    rows.push({
      text,
      keys: keys.length,
      'median ms': Math.round(sorted[sorted.length >> 1]!),
      'longest ms': Math.round(sorted.at(-1)!),
      first:
        (await page
          .getByRole('option')
          .first()
          .textContent({ timeout: 1_000 })
          .catch(() => null)) ?? 'none',
    });
    await page.keyboard.press('Escape');
  }
  console.table(rows);
  const longest = Math.max(...rows.map((row) => (row as { 'longest ms': number })['longest ms']));
  console.log(
    `${packs} packs with ${operations} operations, ${longest <= TARGET_MS ? 'reached' : 'not reached'}: longest key press ${longest} ms, target ${TARGET_MS} ms`,
  );
} finally {
  await editor.close();
}
