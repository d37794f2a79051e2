import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { findingsInBothThemes } from '../support/axe.ts';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { hasNoChromium } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

describe.skipIf(hasNoChromium)('the chat trigger in the editor', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

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
    expect(await findingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'chat-trigger');

    const key = await call('POST', '/api-keys', { body: { name: 'chat' } });
    const client = new OpenAI({ baseURL, apiKey: (key.body as { key: string }).key });
    const { choices } = await client.chat.completions.create({
      model: 'echo',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(choices[0]!.message.content).toBe('You said: Hello');
    await context.close();
  });
});
