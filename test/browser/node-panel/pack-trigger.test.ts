import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packFixture } from '../../support/packs/npm-pack.ts';
import { waitUntil } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

describe.skipIf(isChromiumMissing)('a workflow with the trigger of a pack', () => {
  let editor: TestEditor;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    await call('POST', '/packs', { archive: packFixture('demo').toString('base64') });
    await call('PUT', '/secrets/DEMO', { value: 'token-of-the-demo' });
    const definition = {
      nodes: [
        {
          id: 'changed',
          type: 'npm.demo.trigger',
          position: { x: 0, y: 0 },
          config: {
            event: 'item_changed',
            address: 'shop.example.com',
            authentication: { type: 'token', token: '{{ secrets.DEMO }}' },
          },
        },
        {
          id: 'read',
          type: 'set',
          position: { x: 320, y: 0 },
          config: { fields: { title: '{{ input.item.title }}' }, mode: 'only' },
        },
      ],
      connections: [{ from: 'changed', to: 'read' }],
    };
    workflow = (await call('POST', '/workflows', { name: 'Changes', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 900 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
  });
  afterAll(() => editor?.close());

  const readOutputs = async (): Promise<unknown[]> => {
    const { executions } = (await call('GET', `/workflows/${workflow}/executions`)) as {
      executions: { id: string }[];
    };
    const found = executions.map(({ id }) => call('GET', `/executions/${id}`));
    return (await Promise.all(found)).map(({ output }) => output);
  };
  const untilOutputs = (wanted: unknown[]) =>
    waitUntil(readOutputs, (outputs) => JSON.stringify(outputs) === JSON.stringify(wanted));

  test('runs with the example of the pack, at once or changed', async () => {
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Run with example' }).waitFor();
    await saveShot(page, 'pack-trigger-run-menu');
    await page.getByRole('menuitem', { name: 'Run with example' }).click();
    await untilOutputs([{ title: 'A changed item' }]);

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Run with input' });
    const input = dialog.locator('.cm-content');
    await input.getByText('"A changed item"').waitFor();
    await saveShot(page, 'pack-trigger-run-input');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await input.fill('{"item": {"title": "Mine"}}');
    await dialog.getByRole('button', { name: 'Run' }).click();
    await untilOutputs([{ title: 'Mine' }, { title: 'A changed item' }]);
    expect(pageErrors).toEqual([]);
  });

  test('only triggers of packs have it', async () => {
    const nodes = [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }];
    const { id } = await call('POST', '/workflows', {
      name: 'No example',
      definition: { nodes, connections: [] },
    });
    await page.goto(`${editor.origin}/workflows/${String(id)}`);
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Run with input…' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Run with example' }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});
