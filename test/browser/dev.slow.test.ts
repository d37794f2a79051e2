// `npm run dev` in a copy of the checkout: what is saved there is built and loaded without another command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/servers/free-port.ts';
import { isChromiumMissing, openBrowser } from './support/chromium.ts';

const root = path.resolve(import.meta.dirname, '../..');

function copyCheckout(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-dev-'));
  for (const name of ['package.json', 'package-lock.json', 'scripts', 'sdk', 'src', 'templates', 'web'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

function replaceIn(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

test.skipIf(isChromiumMissing)(
  'a saved file of the service or the editor is built and reloaded',
  async () => {
    const folder = copyCheckout();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const dev = spawn(process.execPath, [path.join(folder, 'scripts', 'task.cjs'), 'dev'], {
      cwd: folder,
      env: { ...process.env, PORT: String(port), WEFT_DATA_DIR: path.join(folder, '.weft') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const browser = await openBrowser();
    try {
      const readText = async (address: string): Promise<string> =>
        fetch(url + address).then(
          (response) => response.text(),
          () => '',
        );
      await expect.poll(() => readText('/v1/health/live'), { timeout: 180_000 }).toContain('status');

      const { page } = await browser.open();
      await page.goto(url);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      replaceIn(path.join(folder, 'web/index.html'), '<html', '<html data-changed="yes"');
      await page.locator('html[data-changed]').waitFor({ timeout: 180_000 });

      // After an error of syntax the running service stays; the repair starts the new one.
      const file = path.join(folder, 'src/contract/errors.ts');
      const before = readFileSync(file, 'utf8');
      writeFileSync(file, `${before}\nconst = ;\n`);
      await expect.poll(() => output, { timeout: 180_000 }).toContain('the build failed');
      expect(await readText('/v1/health/live')).toContain('status');
      const anchor = "this.name = 'WeftError';";
      expect(before).toContain(anchor);
      writeFileSync(file, before.replace(anchor, `this.message += ' (changed)'; ${anchor}`));
      await expect.poll(() => readText('/v1/workflows'), { timeout: 180_000 }).toContain('(changed)');
    } finally {
      await browser.close();
      dev.kill('SIGTERM');
      await once(dev, 'exit');
      rmSync(folder, { recursive: true, force: true });
    }
    expect(output).toContain('built the editor');
  },
  240_000,
);
