import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

/* An agent while it runs. The model is a fake of another author. Its second response waits for the test. */

describe.skipIf(isChromiumMissing)('the conversation of an agent that runs', () => {
  let mock: LLMock;
  let editor: TestEditor;
  let api: Call;
  let page: Page;
  let pageErrors: string[];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  beforeAll(async () => {
    mock = new LLMock({ port: 0 });
    await mock.start();
    const usage = { prompt_tokens: 812, completion_tokens: 40 };
    mock.on(
      { userMessage: 'Order', hasToolResult: false },
      { toolCalls: [{ name: 'find_order', arguments: '{"number":"A-17"}' }], usage },
    );
    mock.on({ userMessage: 'Order', hasToolResult: true }, async () => {
      await released;
      return { content: 'The order was **sent**.', usage: { prompt_tokens: 930, completion_tokens: 10 } };
    });
    editor = await openEditor({
      WEFT_ALLOWED_HOSTS: '127.0.0.1',
      WEFT_MODEL_PRICES: '{"openai_compatible/*": {"input": 2, "output": 10}}',
    });
    api = await editor.service.login();
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 900 } }));
  });
  afterAll(async () => {
    await editor?.close();
    await mock?.stop();
  });

  test('shows the time, the tokens and the cost of each turn when it ends, and opens its data', async () => {
    const model = { provider: 'openai_compatible', baseUrl: `${mock.url}/v1`, model: 'test' };
    const parameters = { type: 'object', properties: { number: { type: 'string' } } };
    const tool = { name: 'find_order', description: 'Finds an order.', parameters, nodes: ['find'] };
    const made = await api('POST', '/workflows', {
      body: {
        name: 'Support',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'agent',
              type: 'agent',
              config: { prompt: 'Order A-17?', model: ['chat'], tools: [tool] },
            },
            { id: 'chat', type: 'llm', config: model },
            { id: 'find', type: 'set', config: { fields: { state: 'sent {{ item.number }}' } } },
          ],
          connections: [{ from: 'start', to: 'agent' }],
        },
      },
    });
    const started = await api('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
      body: { input: {} },
    });
    await signIn(page, editor.origin, `/executions/${(started.body as { id: string }).id}`);
    await page.getByRole('radio', { name: 'Conversation' }).click();
    const list = page.locator('.conversation');
    // The first turn has its figures while the second one runs.
    await list.getByText(/Turn 2/).waitFor();
    const running = await list.innerText();
    expect(running).toMatch(/Turn 1 · 812 → 40 tokens · \$0\.002024 · .+ · \d/);
    expect(running).toContain('find_order({"number":"A-17"})');
    expect(running).not.toContain('The order was sent.');
    await saveShot(page, 'agent-conversation-running');
    release();
    await list.getByText('The order was sent.').waitFor();
    // The text of the model is shown with its format.
    await list.locator('strong', { hasText: 'sent' }).waitFor();
    const done = await list.innerText();
    expect(done).toMatch(/Turn 2 · 930 → 10 tokens · \$0\.00196 · /);
    expect(done).toContain('2 turns · 1,792 tokens · $0.003984');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await list.getByRole('button', { name: /Turn 1/ }).click();
    await page.getByRole('complementary').getByText('finish_reason').first().waitFor();
    await saveShot(page, 'agent-conversation-turn');
    expect(pageErrors).toEqual([]);
  });

  test('shows the response that made a tool call fail', async () => {
    const upstream = createServer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"problem":"database is read only"}');
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void upstream.close());
    const { port } = upstream.address() as AddressInfo;
    const model = { provider: 'openai_compatible', baseUrl: `${mock.url}/v1`, model: 'test' };
    const parameters = { type: 'object', properties: { number: { type: 'string' } } };
    const tool = { name: 'find_order', description: 'Finds an order.', parameters, nodes: ['find'] };
    const config = { url: `http://127.0.0.1:${port}/`, retryPolicy: { maxAttempts: 1 } };
    const made = await api('POST', '/workflows', {
      body: {
        name: 'Broken tool',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'agent',
              type: 'agent',
              config: { prompt: 'Order A-17?', model: ['chat'], tools: [tool] },
            },
            { id: 'chat', type: 'llm', config: model },
            { id: 'find', type: 'http_request', config },
          ],
          connections: [{ from: 'start', to: 'agent' }],
        },
      },
    });
    const { id } = made.body as { id: string };
    const started = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
    expect(started.body, started.text).toMatchObject({ status: 'completed' });
    await page.goto(`${editor.origin}/executions/${(started.body as { id: string }).id}`);
    await page.getByRole('radio', { name: 'Conversation' }).click();
    const call = page.locator('.conversation__tool');
    await call.getByText('responded with 500').waitFor();
    await call.getByText('{"problem":"database is read only"}').waitFor();
    await saveShot(page, 'agent-conversation-failed-tool');
    await page.locator('.react-flow__node[data-id="find"]').click();
    await page.getByRole('complementary').getByText('"database is read only"').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
