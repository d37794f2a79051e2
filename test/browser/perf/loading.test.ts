// The requests of a page, counted instead of timed.
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { signIn } from '../support/sign-in.ts';

const startNode = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };

describe.skipIf(isChromiumMissing)('loading pages', () => {
  let editor: TestEditor;
  let call: Api;

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
  });
  afterAll(() => editor.close());

  async function openPage(): Promise<{ page: Page; close: () => Promise<void> }> {
    const { page, context } = await editor.browser.open();
    await signIn(page, editor.origin);
    return { page, close: () => context.close() };
  }

  const getPath = (request: Request): string => {
    const { pathname, search } = new URL(request.url());
    return pathname + search;
  };

  test('the first page needs at most 12 files and two requests for its list', async () => {
    const { page, close } = await openPage();
    await page.goto('about:blank');
    const paths: string[] = [];
    page.on('request', (request) => paths.push(getPath(request)));
    await page.goto(`${editor.origin}/workflows`);
    await page.getByRole('button', { name: 'Create empty workflow' }).waitFor();
    const atFirst = paths.filter((path) => path.startsWith('/assets/') || path.startsWith('/v1/'));
    const files = atFirst.filter((path) => path.startsWith('/assets/'));
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(12);
    const listed = atFirst.filter((path) => path.startsWith('/v1/workflows?'));
    expect(listed.length, atFirst.join('\n')).toBeLessThanOrEqual(2);
    await close();
  });

  test('an execution is requested before the code of its page has arrived, each part once', async () => {
    const { id } = await call('POST', '/workflows', {
      name: 'Loop',
      definition: {
        nodes: [
          startNode,
          { id: 'loop', type: 'for_each', config: { items: '{{ input.items }}', nodes: ['prepare'] } },
          { id: 'prepare', type: 'set', config: { fields: { n: '{{ item }}' } } },
        ],
        connections: [{ from: 'start', to: 'loop' }],
      },
    });
    const items = Array.from({ length: 1_300 }, (_, i) => i);
    const execution = await call('POST', `/workflows/${String(id)}/execute`, {
      input: { items },
      wait: '60s',
    });
    expect(execution['status']).toBe('completed');
    const path = `/v1/executions/${String(execution['id'])}`;
    const { page, close } = await openPage();
    const paths: string[] = [];
    page.on('request', (request) => paths.push(getPath(request)));
    // The code is held until the execution is requested.
    const isRequested = page.waitForRequest((request) => getPath(request) === path);
    await page.route(/\/assets\/execution-page-/, async (route) => {
      await isRequested;
      await route.continue();
    });
    await page.goto(`${editor.origin}/executions/${String(execution['id'])}`);
    await page.locator('.timeline__rows > *').first().waitFor();
    const ofRun = paths.filter((one) => one.startsWith('/v1/executions/'));
    expect(ofRun.toSorted()).toEqual([path, `${path}/nodes?page=14&limit=100`]);
    await close();
  });
});
