import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../../support/ai/model-server.ts';
import type { Call } from '../../support/service.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { signIn } from '../support/sign-in.ts';

const KEY = 'key-of-the-callers-17';
const SHOTS = process.env['WEFT_TEST_SHOTS'];

describe.skipIf(isChromiumMissing)('agents in the editor', () => {
  let editor: TestEditor;
  let api: Call;
  let models: ModelServer;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    models = await startModelServer(
      (_request, turn) =>
        [
          {
            text: 'Let me look at the order.',
            tokens: [812, 40] as const,
            calls: [
              { name: 'find_order', arguments: { number: 'A-17' } },
              { name: 'find_order', arguments: { order: 'A-18' } },
            ],
          },
          {
            tokens: [930, 35] as const,
            calls: [
              { name: 'refund', arguments: { number: 'A-17', amount: 20, reason: 'It arrived broken.' } },
            ],
          },
          { text: 'We are sorry. You get 20 EUR back.', tokens: [1_010, 60] as const },
        ][turn]!,
      { tool: (name) => ({ body: name === 'refund' ? { refunded: true } : { paid: 120 } }) },
    );
    editor = await openEditor({
      WEFT_ALLOWED_HOSTS: '127.0.0.1',
      WEFT_MODEL_PRICES: '{"openai_compatible/*": {"input": 2, "output": 10}}',
    });
    api = await editor.service.login();
    for (const name of ['MODEL_KEY', 'SHOP_TOKEN', 'SUPPORT_KEY'])
      await api('PUT', `/secrets/${name}`, { body: { value: KEY } });
    const parameters = {
      orders_url: models.toolUrl('orders'),
      refunds_url: models.toolUrl('refund'),
      replies_url: models.toolUrl('replies'),
      model_url: models.url,
    };
    const made = await api('POST', '/templates/support-agent/instantiate', { body: { parameters } });
    expect(made.status, made.text).toBe(201);
    workflow = (made.body as { id: string }).id;
    await api('PUT', `/workflows/${workflow}`, { body: { status: 'active' } });
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 900 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
  });
  afterAll(async () => {
    await editor?.close();
    await models?.close();
  });
  const shoot = async (name: string): Promise<void> => {
    if (SHOTS !== undefined) await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  };

  test('the model, the approval and each tool are lanes of the agent', async () => {
    const agent = page.locator('.react-flow__node[data-id="agent"]');
    await agent.waitFor();
    await expect
      .poll(() => agent.locator('.lane__label').allTextContents())
      .toEqual(['model', 'approval', 'find_order', 'refund']);
    await agent.locator('.lane__label').first().click();
    await page.getByRole('button', { name: 'Tool', exact: true }).click();
    await page.getByRole('button', { name: 'Empty tool' }).click();
    await expect.poll(() => agent.locator('.lane__label').allTextContents()).toContain('tool_1');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect.poll(() => agent.locator('.lane__label').count()).toBe(4);
    // The lists of nodes are literal: a template in them would be refused.
    const panel = page.locator('#node-panel');
    await panel.getByLabel('Model node 1', { exact: true }).waitFor();
    const tool = panel.getByRole('region', { name: 'Tool 1' });
    await tool.getByLabel('Step 1', { exact: true }).waitFor();
    expect(await tool.getByRole('button', { name: 'Use template' }).count()).toBe(0);
  });

  test('a new agent has a model', async () => {
    await page.locator('.react-flow__pane').click({ position: { x: 5, y: 300 } });
    await page.locator('#node-panel').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('agent');
    await page.getByRole('option', { name: 'AI agent' }).first().click();
    const added = page.locator('.react-flow__node[data-id="agent_2"]');
    await added.waitFor();
    await page.locator('.react-flow__node[data-id="llm"]').waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await added.waitFor({ state: 'detached' });
  });

  test('a run shows its turns and tool calls as a conversation, and opens the data of each', async () => {
    const sent = await editor.service.call('POST', '/webhooks/support-agent', {
      body: { email: 'ada@example.com', subject: 'Broken', text: 'Order A-17 arrived broken.' },
      headers: { 'x-api-key': KEY },
    });
    const execution = sent.headers.get('x-weft-execution-id');
    await page.goto(`${editor.origin}/executions/${execution}`);
    await page.getByRole('radio', { name: 'Conversation' }).click();
    const list = page.locator('.conversation');
    await list.getByText('We are sorry. You get 20 EUR back.').waitFor();
    await expect.poll(() => list.innerText()).toContain('3 turns · 2,887 tokens');
    const text = await list.innerText();
    expect(text).toContain('Order A-17 arrived broken.');
    expect(text).toContain('Let me look at the order.');
    expect(text).toMatch(/Turn 1 · 812 → 40 tokens · \$0\.002024/);
    expect(text).toContain('find_order({"number":"A-17"})');
    expect(text).toContain('Not run');
    expect(text).toMatch(/3 turns · 2,887 tokens · \$0\.006854/);
    await list.getByRole('button', { name: /refund\(/ }).click();
    await page.getByRole('complementary').getByText('reason').first().waitFor();
    await shoot('agent-conversation');
    expect(pageErrors).toEqual([]);
  });

  test('a run is retried from a turn, and the turns before are kept', async () => {
    const list = page.locator('.conversation');
    models.chats.length = 0;
    await list.getByRole('button', { name: /^Turn 2/ }).click();
    await page.getByRole('button', { name: 'Retry from here…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry' });
    const from = dialog.getByLabel('From', { exact: true });
    expect(await from.inputValue()).toMatch(/^agent\[1\]\/\w+$/);
    await from.selectOption('agent[1]');
    expect(await dialog.getByLabel('Change the input').count()).toBe(0);
    await shoot('agent-retry');
    const before = page.url();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.waitForURL((url) => url.href !== before);
    await page.getByRole('radio', { name: 'Conversation' }).click();
    await list.getByText('We are sorry. You get 20 EUR back.').waitFor();
    await expect.poll(() => list.getByText('Kept', { exact: true }).count()).toBe(1);
    expect(await list.innerText()).toContain('Let me look at the order.');
    expect(models.chats).toHaveLength(2);
    await shoot('agent-retry-conversation');
    expect(pageErrors).toEqual([]);
  });
});
