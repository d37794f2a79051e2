import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../../support/ai/model-server.ts';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

describe.skipIf(isChromiumMissing)('the chat trigger in the editor', () => {
  let editor: TestEditor;
  let call: Call;
  let models: ModelServer;
  /** Called before each word that the model writes. */
  let pace: (word: number) => Promise<boolean> = () => Promise.resolve(true);
  beforeAll(async () => {
    models = await startModelServer(
      ({ messages }) => {
        const last = String(messages.at(-1)!.content);
        if (last === 'fail') return { status: 400, text: 'The model is down.' };
        const count = messages.filter(({ role }) => role === 'user').length;
        return { text: `You wrote ${count} message${count === 1 ? '' : 's'}, the last: ${last}` };
      },
      { pace: (word) => pace(word) },
    );
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: new URL(models.url).host });
    call = await editor.service.login();
  });
  afterAll(async () => {
    await editor?.close();
    await models?.close();
  });

  test('a workflow becomes a model by its form, and the client of OpenAI talks to it', async () => {
    const workflow = await makeWorkflow(call, {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'end',
          type: 'stop',
          position: { x: 320, y: 0 },
          config: { outcome: 'completed', output: 'You said: {{ input.message }}' },
        },
      ],
      connections: [{ from: 'start', to: 'end' }],
    });
    const { page, context, node } = await openCanvas(editor, call, workflow, { isAlone: true });
    await node('start').click();
    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Chat' });
    const panel = page.getByRole('region', { name: 'Chat', exact: true });
    await panel.getByText('Not live', { exact: true }).waitFor();
    await page.getByLabel('Model name', { exact: true }).fill('echo');
    await panel.getByRole('button', { name: 'Activate workflow' }).click();
    await panel.getByText('Live', { exact: true }).waitFor();
    const baseURL = await panel.locator('code').textContent();
    expect(baseURL).toBe(`${new URL(page.url()).origin}/v1`);
    await node('start').getByText('chat echo').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'chat-trigger');

    const { body } = await call('GET', `/workflows/${workflow}`);
    const { definition } = body as { definition: { nodes: { config: object }[] } };
    definition.nodes[0]!.config = { ...definition.nodes[0]!.config, page: {} };
    await call('PUT', `/workflows/${workflow}`, { body: { definition } });
    await page.reload();
    await node('start').click();
    await panel.getByText('Chat page', { exact: true }).waitFor();
    const [chatPage] = await Promise.all([
      context.waitForEvent('page'),
      panel.getByRole('link', { name: 'Open chat page' }).click(),
    ]);
    await chatPage.getByLabel('Message').fill('Hello page');
    await chatPage.getByRole('button', { name: 'Send' }).click();
    await chatPage.getByText('You said: Hello page').waitFor();
    await chatPage.close();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'chat-page-panel');

    const key = await call('POST', '/api-keys', { body: { name: 'chat' } });
    const client = new OpenAI({ baseURL, apiKey: (key.body as { key: string }).key });
    const { choices } = await client.chat.completions.create({
      model: 'echo',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(choices[0]!.message.content).toBe('You said: Hello');
    await context.close();
  });

  test('a conversation with the draft: text while it is written, history, a failure and a stop', async () => {
    const workflow = await makeWorkflow(call, {
      nodes: [
        {
          id: 'start',
          type: 'trigger',
          position: { x: 0, y: 0 },
          config: { triggerType: 'chat', name: 'draft' },
        },
        {
          id: 'reply',
          type: 'llm',
          position: { x: 320, y: 0 },
          config: { provider: 'openai_compatible', baseUrl: models.url, model: 'm', stream: true },
        },
      ],
      connections: [{ from: 'start', to: 'reply' }],
    });
    const { page, context, node } = await openCanvas(editor, call, workflow, { isAlone: true });
    await node('start').click();
    const panel = page.getByRole('region', { name: 'Chat', exact: true });
    const message = panel.getByLabel('Message', { exact: true });
    const messages = panel.getByRole('listitem');
    expect(await panel.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);

    let release = (_continues: boolean): void => {};
    const held = new Promise<boolean>((resolve) => (release = resolve));
    pace = (word) => (word === 3 ? held : Promise.resolve(true));
    await message.fill('Hello');
    await page.keyboard.press('Enter');
    await messages.nth(1).getByText('You').waitFor();
    await saveShot(page, 'chat-test-live');
    release(true);
    await messages.nth(1).getByText('You wrote 1 message, the last: Hello').waitFor();
    await page.getByRole('region', { name: 'Run', exact: true }).waitFor();

    pace = () => Promise.resolve(true);
    await message.fill('And now?');
    await panel.getByRole('button', { name: 'Send' }).click();
    await messages.nth(3).getByText('You wrote 2 messages, the last: And now?').waitFor();

    await message.fill('fail');
    await page.keyboard.press('Enter');
    await messages.nth(5).getByText('The model is down.', { exact: false }).waitFor();
    await messages.nth(5).getByRole('link', { name: 'Open execution' }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'chat-test');

    pace = () => new Promise(() => {});
    await message.fill('Never');
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Stop' }).click();
    await messages.nth(7).getByText('The execution was stopped.').waitFor();
    await panel.getByRole('button', { name: 'Clear the test chat' }).click();
    await messages.first().waitFor({ state: 'detached' });
    await context.close();
  });
});
