import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { signInByForm } from './support/sign-in.ts';

/** Reports in the title of its response what a script could reach; runs in any kind of document. */
const SCRIPT = 'document.title = `ran on ${origin}: ${Object.keys(localStorage)} ${document.cookie}`';

describe.skipIf(isChromiumMissing)('a page that a workflow answers', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterAll(() => editor?.close());

  async function activate(endpoint: string, config: object): Promise<string> {
    const api = await editor.service.login();
    const trigger = { triggerType: 'webhook', endpoint, method: 'GET', authentication: 'none' };
    const created = await api('POST', '/workflows', {
      body: {
        name: endpoint,
        status: 'active',
        definition: {
          nodes: [
            { id: 'in', type: 'trigger', config: { ...trigger, respond: 'respond' } },
            { id: 'out', type: 'respond', config },
          ],
          connections: [{ from: 'in', to: 'out' }],
        },
      },
    });
    expect(created.status, created.text).toBe(201);
    return `${editor.origin}/v1/webhooks/${endpoint}`;
  }

  test('runs no script and reads nothing of the editor, whatever its content type', async () => {
    const { page, context } = await editor.browser.open();
    await signInByForm(page, editor.origin);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>${SCRIPT}</script></svg>`;
    const types = {
      'text/html': `<p>shown</p><script>${SCRIPT}</script>`,
      'text/html; profile=json': `<p>shown</p><script>${SCRIPT}</script>`,
      'TEXT/HTML; x=json': `<p>shown</p><script>${SCRIPT}</script>`,
      'image/svg+xml; x=json': svg,
      'application/xhtml+xml; x=json': `<html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`,
    };
    for (const [i, [type, body]] of Object.entries(types).entries()) {
      const url = await activate(`page-${i}`, { headers: { 'content-type': type }, body });
      await page.goto(url);
      expect(await page.title(), type).not.toContain('ran on');
      // What the document itself could reach, had it found a way to run: it has no origin.
      const reached = await page.evaluate(async () => {
        const result: Record<string, string> = { origin: self.origin };
        try {
          result['storage'] = JSON.stringify(localStorage);
        } catch (error) {
          result['storage'] = (error as Error).name;
        }
        result['api'] = await fetch('/v1/users/me', { credentials: 'include' }).then(
          () => 'answered',
          (error: Error) => error.name,
        );
        return result;
      });
      expect(reached, type).toEqual({ origin: 'null', storage: 'SecurityError', api: 'TypeError' });
    }
    await page.goto(`${editor.origin}/workflows`);
    await page.getByRole('link', { name: 'page-0' }).waitFor();
    await context.close();
  });
});
