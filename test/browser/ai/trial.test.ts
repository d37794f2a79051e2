import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../../support/ai/model-server.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, selectNode, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

/* A prompt is tried on the data of a past run, by mouse. The model repeats what it is asked. */

describe.skipIf(isChromiumMissing)('trying a prompt on a past run', () => {
  let models: ModelServer;
  let editor: TestEditor;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    models = await startModelServer(({ messages }) => ({
      text: `You said: ${messages.at(-1)?.content ?? ''}`,
      tokens: [812, 40],
    }));
    editor = await openEditor({
      WEFT_ALLOWED_HOSTS: '127.0.0.1',
      WEFT_MODEL_PRICES: '{"openai_compatible/*": {"input": 2, "output": 10}}',
    });
    call = await createSignedInApi(editor.origin);
    const config = { provider: 'openai_compatible', baseUrl: models.url, model: 'test' };
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'chat',
          type: 'llm',
          position: { x: 320, y: 0 },
          config: { ...config, prompt: 'Greet {{ input.name }}' },
        },
      ],
      connections: [{ from: 'start', to: 'chat' }],
    };
    workflow = (await call('POST', '/workflows', { name: 'Greet', definition }))['id'] as string;
    for (const name of ['Ada', 'Grace'])
      await call('POST', `/workflows/${workflow}/execute`, { input: { name }, wait: '20s' });
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await selectNode(page, 'chat');
  });
  afterAll(async () => {
    await editor?.close();
    await models?.close();
  });

  const stored = async () =>
    (await call('GET', `/workflows/${workflow}`)) as unknown as {
      version: number;
      definition: { nodes: { config: Record<string, unknown> }[] };
    };

  test('the response, tokens, cost and time are shown beside the former ones, and nothing is saved', async () => {
    await page.locator('#node-panel').getByRole('button', { name: 'Try on a past run' }).click();
    const dialog = page.getByRole('dialog');
    const former = dialog.getByRole('region', { name: 'Past run' });
    await former.getByText('You said: Greet Grace', { exact: true }).first().waitFor();
    // The first of the two runs.
    const choice = dialog.getByRole('combobox', { name: 'Past run' });
    await choice.selectOption({ index: 1 });
    await former.getByText('You said: Greet Ada', { exact: true }).first().waitFor();

    await dialog.getByRole('textbox', { name: /^Prompt/ }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Say goodbye to {{ input.name }}');
    await dialog.getByRole('button', { name: 'Try', exact: true }).click();
    const tried = dialog.getByRole('region', { name: 'This try' });
    await tried.getByText('You said: Say goodbye to Ada', { exact: true }).first().waitFor();
    for (const side of [former, tried]) {
      const facts = await side.locator('.facts').innerText();
      expect(facts).toMatch(/812 → 40/);
      expect(facts).toMatch(/\$0\.002024/);
      expect(facts).toMatch(/Duration\s+\d/);
    }
    await saveShot(page, 'trial');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const { version, definition } = await stored();
    expect([version, definition.nodes[1]?.config['prompt']]).toEqual([1, 'Greet {{ input.name }}']);

    // The new run can be the past run of the next try.
    await choice.locator('option', { hasText: 'test' }).waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'Apply to the node' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await stored()).definition.nodes[1]?.config['prompt']).toBe('Say goodbye to {{ input.name }}');
    expect(pageErrors).toEqual([]);
  });

  test('the past run is in line with the fields, and a value stays while the next one is evaluated', async () => {
    await page.locator('#node-panel').getByRole('button', { name: 'Try on a past run' }).click();
    const dialog = page.getByRole('dialog');
    const prompt = dialog.getByRole('textbox', { name: /^Prompt/ });
    await prompt.click();
    const value = dialog.locator('.preview__value');
    await value.waitFor();
    const left = (of: Locator): Promise<number> => of.evaluate((one) => one.getBoundingClientRect().left);
    expect(await left(dialog.getByText('Past run', { exact: true }).first())).toBe(await left(prompt));
    await page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(globalThis, { shown });
      const read = (): unknown =>
        shown.push(document.querySelector('[role=dialog] .preview')?.textContent ?? '');
      new MutationObserver(read).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(' {{ input.name | upcase }}');
    await expect.poll(() => value.textContent()).toMatch(/ [A-Z]{3,}$/);
    const shown = await page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    expect(shown.filter((text) => text === '' || /=\s*…$/.test(text))).toEqual([]);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    expect(pageErrors).toEqual([]);
  });

  test('an invalid prompt is refused with its field', async () => {
    await page.locator('#node-panel').getByRole('button', { name: 'Try on a past run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /^Prompt/ }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{{ 1 + }}');
    await dialog.getByRole('button', { name: 'Try', exact: true }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /prompt/i })
      .waitFor();
    expect(models.chats).toHaveLength(3);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    expect(pageErrors).toEqual([]);
  });
});
