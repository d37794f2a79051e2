import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendMcpRequest } from '../../support/ai/mcp-request.ts';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

describe.skipIf(isChromiumMissing)('the tool trigger in the editor', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  test('a workflow becomes a tool by its form, and an assistant calls it', async () => {
    const workflow = await makeWorkflow(call, {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'end',
          type: 'stop',
          position: { x: 320, y: 0 },
          config: { outcome: 'completed', output: '{{ input.number * 2 }}' },
        },
      ],
      connections: [{ from: 'start', to: 'end' }],
    });
    const { page, context, node } = await openCanvas(editor, call, workflow, { isAlone: true });
    await node('start').click();
    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Tool' });
    const panel = page.getByRole('region', { name: 'Tool', exact: true });
    await panel.getByText('Not live', { exact: true }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('double_number');
    await page.getByLabel('Description', { exact: true }).fill('Doubles a number.');
    await panel.getByRole('button', { name: 'Activate workflow' }).click();
    await panel.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => panel.locator('code').textContent()).toBe(`${new URL(page.url()).origin}/v1/mcp`);
    await node('start').getByText('tool double_number').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'tool-trigger');

    const key = await call('POST', '/api-keys', { body: { name: 'assistant' } });
    const result = await sendMcpRequest(
      editor.service.url,
      { 'x-api-key': (key.body as { key: string }).key },
      'tools/call',
      { name: 'double_number', arguments: { number: 21 } },
    );
    expect(result).toMatchObject({ content: [{ type: 'text', text: '42' }] });
    await context.close();
  });
});
