import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { openSignedIn } from '../support/keyboard.ts';

const TIMEOUT_MS = 120_000;

describe.skipIf(isChromiumMissing)('with keys only, by the names that a screen reader announces', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  test('a secret, with a wrong name first', { timeout: TIMEOUT_MS }, async () => {
    const user = await openSignedIn(editor, '/settings/secrets');
    await user.activate('button', 'New secret');
    await user.fill('Name', 'two words');
    await user.fill('Value', 'hush');
    await user.press('Enter');
    await user.announced(/^Name: /);
    // The field describes its error.
    expect((await user.tabTo('textbox', 'Name', 'Shift+Tab')).description).not.toBe('');
    await user.press('Control+a');
    await user.type('SHOP_KEY');
    await user.press('Enter');
    await user.page.getByRole('button', { name: 'Delete SHOP_KEY' }).waitFor();
    await user.activate('button', 'Delete SHOP_KEY');
    await user.activate('button', 'Delete');
    await user.page.getByRole('heading', { name: 'No secrets yet' }).waitFor();
    await user.end();
  });

  test('an API key is created and shown once', { timeout: TIMEOUT_MS }, async () => {
    const user = await openSignedIn(editor, '/settings/api-keys');
    await user.activate('button', 'New API key');
    await user.fill('Name', 'By keys');
    await user.tabTo('checkbox', /^workflows:read/);
    await user.press('Space');
    await user.activate('button', 'Create key');
    await user.activate('button', 'I have saved it');
    await user.page.getByRole('button', { name: 'Revoke By keys' }).waitFor();
    await user.end();
  });

  test('a custom node from the given example', { timeout: TIMEOUT_MS }, async () => {
    const user = await openSignedIn(editor, '/settings/custom-nodes');
    await user.activate('button', 'New custom node');
    await user.fill('Name', 'by_keys');
    // In code, Tab indents. Escape, then Tab, leaves it.
    const code = await user.tabTo('textbox', 'Handler');
    expect(code.description).toContain('Press Escape, then Tab');
    await user.press('Escape', 'Tab');
    await user.activate('button', 'Create');
    await user.page.getByText('by_keys').first().waitFor();
    await user.end();
  });

  test('a failed execution is found, and a decision gets a response', { timeout: TIMEOUT_MS }, async () => {
    const start = async (name: string, node: object): Promise<void> => {
      const { body } = await call('POST', '/workflows', {
        body: {
          name,
          definition: {
            nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }, node],
            connections: [{ from: 'start', to: (node as { id: string }).id }],
          },
        },
      });
      const { status } = await call('POST', `/workflows/${(body as { id: string }).id}/execute`, {
        body: {},
      });
      expect(status).toBe(201);
    };
    await start('Check stock', {
      id: 'halt',
      type: 'stop',
      config: { outcome: 'failed', message: 'The shelf is empty' },
    });
    await start('Expenses', { id: 'ask', type: 'approval', config: { title: 'Hotel in Ghent' } });

    const user = await openSignedIn(editor, '/executions');
    await user.page.getByRole('link', { name: 'Check stock' }).waitFor();
    await user.fill(/^Search/, 'shelf empty', 'searchbox');
    await user.page.getByText('The shelf is empty').waitFor();
    await user.activate('link', 'Check stock');
    await user.page.waitForURL(/\/executions\/ex_/);

    await user.activate('link', /^Inbox/);
    await user.page.waitForURL(/\/inbox/);
    await user.page.getByText('Hotel in Ghent').first().waitFor();
    await user.activate('link', 'Hotel in Ghent');
    await user.fill(/^Comment/, 'Have a good trip');
    await user.activate('button', 'Approve');
    await user.page.getByText('Nothing to decide').waitFor();
    await user.end();
  });
});
