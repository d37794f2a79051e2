import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startModelLists, type ModelLists } from '../../support/ai/model-lists.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the model of a node', () => {
  let editor: TestEditor;
  let lists: ModelLists;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    lists = await startModelLists({
      '/v1/models': { data: [{ id: 'llama3.2:3b' }, { id: 'qwen3:8b' }, { id: 'nomic-embed-text' }] },
    });
    editor = await openEditor({
      WEFT_ALLOWED_HOSTS: new URL(lists.url).host,
      WEFT_MODEL_PRICES: JSON.stringify({ 'openai_compatible/llama*': { input: 0, output: 0 } }),
    });
    call = await createSignedInApi(editor.origin);
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'chat',
          type: 'llm',
          position: { x: 320, y: 0 },
          config: { provider: 'openai', model: '', prompt: 'Hello' },
        },
      ],
      connections: [{ from: 'start', to: 'chat' }],
    };
    workflow = (await call('POST', '/workflows', { name: 'Ask', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await selectNode(page, 'chat');
  });
  afterAll(async () => {
    await editor?.close();
    await lists?.close();
  });

  const panel = () => page.locator('#node-panel');
  const model = () => panel().getByLabel('Model', { exact: true });
  const search = () => page.getByRole('combobox', { name: 'Choices for Model' });

  test('nothing is listed before an account is chosen, and a name can be entered', async () => {
    await model().click();
    await page.getByText('Choose an account to load the choices, or enter a value.').waitFor();
    await page.keyboard.type('gpt-5-mini');
    await page.keyboard.press('Enter');
    await model().getByText('gpt-5-mini').waitFor();
    expect(lists.requests).toEqual([]);
  });

  test('the models of an address are listed with their prices', async () => {
    await panel().getByLabel('Provider').selectOption('openai_compatible');
    await panel().getByLabel('Base URL (optional)', { exact: true }).fill(`${lists.url}/v1`);
    await model().click();
    await search().waitFor();
    await page.getByRole('option', { name: 'llama3.2:3b Price set' }).waitFor();
    await page.getByRole('option', { name: 'qwen3:8b No price' }).waitFor();
    await saveShot(page, 'model-choice');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await page.keyboard.type('llama');
    await page.keyboard.press('Enter');
    await model().getByText('llama3.2:3b').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const stored = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { config: Record<string, unknown> }[] };
    };
    expect(stored.definition.nodes[1]?.config['model']).toBe('llama3.2:3b');
    expect(lists.requests).toHaveLength(1);
  });

  test('an address that lists nothing is an error, and the model can be entered', async () => {
    await panel().getByLabel('Base URL (optional)', { exact: true }).fill(`${lists.url}/none`);
    await model().click();
    await panel()
      .getByText(/did not list its models: .* responded with 404/)
      .waitFor();
    await page.keyboard.type('my-model');
    await page.keyboard.press('Enter');
    await model().getByText('my-model').waitFor();
    await saveShot(page, 'model-choice-error');
    expect(pageErrors).toEqual([]);
  });
});
