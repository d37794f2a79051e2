import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../support/service.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from './support/editor.ts';
import { signIn } from './support/sign-in.ts';

const readCatalog = (name: string): Record<string, string> =>
  JSON.parse(
    readFileSync(path.resolve(import.meta.dirname, '../../web/src/i18n', `${name}.json`), 'utf8'),
  ) as Record<string, string>;

/** The English texts without placeholders that are different in the language. */
function englishTexts(language: string): Set<string> {
  const all = { ...readCatalog(language), ...readCatalog(`nodes.${language}`) };
  const known = new Set(Object.values(all));
  return new Set(
    Object.entries(all)
      .filter(([text, translation]) => text !== translation && !known.has(text) && !text.includes('{{'))
      .map(([text]) => text),
  );
}

/** Every text of the page that a person sees or a screen reader speaks. */
const readTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Element)
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-roledescription'])
          found.push(node.getAttribute(name) ?? '');
      else if (!(node.parentElement instanceof HTMLScriptElement)) found.push(node.textContent ?? '');
    }
    return [document.title, ...found].map((text) => text.trim()).filter((text) => text !== '');
  });

/** Measures the content of every frame, so that the states of loading count too. */
const measureFrames = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    window.widestFrame = 0;
    const measure = (): void => {
      const width = document.documentElement?.scrollWidth ?? 0;
      if (innerWidth <= 390) window.widestFrame = Math.max(window.widestFrame, width);
      requestAnimationFrame(measure);
    };
    measure();
  });

declare global {
  interface Window {
    /** The largest width of the content in px, while the window was at most 390 px wide. */
    widestFrame: number;
  }
}

/** The name of the user, as it is stored. */
const USER_NAME = 'Administrator';

const LANGUAGES = [
  {
    language: 'de',
    name: 'Deutsch',
    menu: /^Kontomenü von/,
    words: {
      workflows: 'Workflows suchen',
      node: 'HTTP-Anfrage',
      method: 'Methode',
      retry: 'Wiederholen …',
      delete: 'Löschen …',
      connect: 'Neue Verbindung',
    },
  },
  {
    language: 'ja',
    name: '日本語',
    menu: /^アカウントメニュー/,
    words: {
      workflows: 'ワークフローを検索',
      node: 'HTTP リクエスト',
      method: 'メソッド',
      retry: '再試行…',
      delete: '削除…',
      connect: '新規接続',
    },
  },
];

describe.skipIf(isChromiumMissing)('the languages', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let workflow: string;
  let execution: string;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    const created = await api('POST', '/workflows', {
      body: {
        name: 'Zwölf',
        definition: {
          nodes: [
            { id: 'anfang', type: 'trigger', config: { triggerType: 'manual' }, position: { x: 0, y: 0 } },
            {
              id: 'fetch',
              type: 'http_request',
              config: { method: 'GET', url: 'http://127.0.0.1:1/' },
              position: { x: 320, y: 0 },
            },
          ],
          connections: [{ from: 'anfang', to: 'fetch' }],
        },
      },
    });
    expect(created.status, created.text).toBe(201);
    workflow = (created.body as { id: string }).id;
    const run = await api('POST', `/workflows/${workflow}/execute`, { body: { wait: '20s' } });
    execution = (run.body as { id: string }).id;
    view = await editor.browser.open();
    await signIn(view.page, editor.origin);
    await measureFrames(view.page);
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  const choose = async (menu: RegExp, name: string): Promise<void> => {
    const { page } = view;
    await page.getByRole('button', { name: menu }).click();
    await page.getByRole('menuitem', { name }).click();
  };

  describe.each(LANGUAGES)('$name', ({ language, name, menu, words }) => {
    const english = englishTexts(language);
    const expectNoEnglish = async (): Promise<void> => {
      const texts = await readTexts(view.page);
      expect(texts.length).toBeGreaterThan(20);
      expect(texts.filter((text) => english.has(text) && text !== USER_NAME)).toEqual([]);
    };

    beforeAll(async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/workflows`);
      await choose(/^(?:Account menu of|Kontomenü von)/, name);
      await page.getByRole('searchbox', { name: words.workflows }).waitFor();
    });

    test('the account menu changes the language of the page, which stays after a reload', async () => {
      const { page } = view;
      await page.reload();
      await page.getByRole('searchbox', { name: words.workflows }).waitFor();
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language);
      await page.getByRole('link', { name: 'Zwölf' }).waitFor();
      await expectNoEnglish();
      await page.getByRole('button', { name: menu }).click();
      await page.getByRole('menuitem', { name: 'English' }).waitFor();
      await expectNoEnglish();
      await page.keyboard.press('Escape');
    });

    test('the editor, its palette and the panel of a node', async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/workflows/${workflow}`);
      await page.locator('.react-flow__node[data-id="fetch"]').waitFor();
      await expectNoEnglish();
      await selectNode(page, 'fetch');
      await page.locator('#node-panel').getByLabel(words.method, { exact: true }).waitFor();
      await expectNoEnglish();
      await page.keyboard.press('Escape');
      await page.locator('.react-flow__pane').click({ position: { x: 5, y: 300 } });
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill('http');
      await page.getByRole('option', { name: words.node }).first().waitFor();
      await expectNoEnglish();
    });

    test('the selection bar and the deletion of workflows', async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/workflows`);
      await page.getByRole('checkbox').nth(1).check();
      await page.locator('.selection-bar').waitFor();
      await expectNoEnglish();
      await page.locator('.selection-bar').getByRole('button', { name: words.delete }).click();
      await page.getByRole('dialog').waitFor();
      await expectNoEnglish();
      await page.keyboard.press('Escape');
    });

    test('the dialog that connects an account', async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/settings/connections`);
      await page.getByRole('button', { name: words.connect }).first().click();
      await page.getByRole('dialog').locator('code').waitFor();
      await expectNoEnglish();
      await page.keyboard.press('Escape');
    });

    test('the run history of a workflow', async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/workflows/${workflow}/history`);
      await page.getByRole('slider').waitFor();
      await page.getByRole('slider').focus();
      await expectNoEnglish();
    });

    test('an execution', async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/executions/${execution}`);
      await page.getByRole('button', { name: words.retry }).waitFor();
      await page.locator('.react-flow__node[data-id="fetch"]').waitFor();
      await expectNoEnglish();
    });

    test('a comparison of executions', async () => {
      const { page } = view;
      await page.goto(`${editor.origin}/executions/${execution}/compare/${execution}`);
      await page.locator('.segments').getByRole('radio').last().click();
      await page.locator('.compare__row').last().waitFor();
      await expectNoEnglish();
    });

    test.each([
      '/workflows/deleted',
      '/executions',
      '/threads',
      '/templates',
      '/settings/secrets',
      '/settings/connections',
      '/settings/users',
      '/settings/audit-log',
      '/settings/api-keys',
      '/settings/model-usage',
      '/settings/vector-collections',
      '/settings/system',
    ])('%s fits into 390 px', async (where) => {
      const { page } = view;
      await page.setViewportSize({ width: 390, height: 844 });
      try {
        await page.goto(`${editor.origin}${where}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => page.locator('[aria-busy="true"], .skeleton').count()).toBe(0);
        await expectNoEnglish();
        expect(await page.evaluate(() => window.widestFrame)).toBeLessThanOrEqual(390);
      } finally {
        await page.setViewportSize({ width: 1440, height: 900 });
      }
    });
  });
});
