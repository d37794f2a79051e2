import path from 'node:path';
import type { Page } from 'playwright-core';
import { freePort } from '../../support/servers/free-port.ts';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../../support/service.ts';
import { openBrowser, type TestBrowser } from './chromium.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export type TestEditor = {
  readonly service: SpawnedService;
  readonly browser: TestBrowser;
  /** Where the page is: `http://127.0.0.1:…`. */
  readonly origin: string;
  /**
   * Another process on the same data and port, as after an update. `meanwhile` happens where the page cannot
   * see it: at a process on another port, which has ended before.
   */
  restart(meanwhile?: (api: Call) => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
};

/** The built one, as users have it: it is there in a fraction of the time, and its compiled code is kept. */
export function createBuiltService(env: Record<string, string> = {}): {
  program: string;
  env: Record<string, string>;
} {
  return {
    program: path.join(root, 'dist', 'weft.js'),
    env: { NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'weft'), ...env },
  };
}

/** A real service with the editor as the sources are now, and a browser. */
export async function openEditor(env: Record<string, string> = {}): Promise<TestEditor> {
  await buildEditor();
  const folder = createTempFolder();
  const built = createBuiltService(env);
  const withPort = { PORT: String(await freePort()), ...built.env };
  const [first, browser] = await Promise.all([
    spawnService({ dataDir: folder.path, ...built, env: withPort }),
    openBrowser(),
  ]);
  let service = first;
  const { origin } = new URL(service.url);
  return {
    get service() {
      return service;
    },
    browser,
    origin,
    async restart(meanwhile) {
      if (meanwhile !== undefined) {
        const elsewhere = await spawnService({ dataDir: folder.path, ...built });
        await meanwhile(await elsewhere.login());
        await elsewhere.stop();
      }
      service = await spawnService({ dataDir: folder.path, ...built, env: withPort });
    },
    async close() {
      await browser.close();
      await service.stop();
      folder.remove();
    },
  };
}

/** `npm test` has built it already; a single file that is run alone builds it here. */
export async function buildEditor(): Promise<void> {
  const file = path.join(root, 'scripts', 'build.mjs');
  const { ensureBuilt } = (await import(file)) as {
    ensureBuilt: (root: string, say: (line: string) => void) => Promise<void>;
  };
  await ensureBuilt(root, () => {});
}

/** Selects a node on the canvas and waits for its panel, which opens when the browser is idle. */
export async function selectNode(page: Page, id: string): Promise<void> {
  await page.locator(`.react-flow__node[data-id="${id}"]`).click();
  await page.locator(`#node-panel[data-node="${id}"]`).waitFor();
}
