import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { signIn } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the first minutes', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterAll(() => editor?.close());

  test('from the printed address to a run that survives a crash', { timeout: 180_000 }, async () => {
    const printed = (): string | undefined => /editor is at (\S+)/.exec(editor.service.logs())?.[1];
    await expect.poll(printed).toBe(`${editor.origin}/`);
    const address = printed();
    const { page, context } = await editor.browser.open();
    await page.goto(address ?? '');
    await page.getByLabel('Email').fill('admin@example.com');
    await page.getByLabel('Password').fill(editor.service.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your first workflow' }).waitFor();

    await page.getByRole('button', { name: 'Create and run First steps' }).click();
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await run.getByText('completed', { exact: true }).waitFor();
    await expect.poll(() => page.locator('.react-flow__node .step__run--completed').count()).toBe(6);
    await run.getByRole('radio', { name: 'Output' }).click();
    await run.getByText('"Large orders: 2, from Ada, Edsger, 200 in all."').waitFor();

    // The tour ends with a stop of the server in the middle of a run.
    const tour = page.getByRole('complementary', { name: 'Restart tour' });
    await tour.getByRole('button', { name: 'Try it' }).click();
    await tour.getByText('Stop the server now.').waitFor();
    await run.getByText('waiting', { exact: true }).waitFor();
    await editor.service.kill9();
    await tour.getByText('The server is down.').waitFor();
    await editor.restart();
    await tour.getByText('The server is back.').waitFor();
    await tour.getByText('every step ran exactly once').waitFor({ timeout: 60_000 });
    await expect.poll(() => page.locator('.react-flow__node .step__run--completed').count()).toBe(6);
    await tour.getByRole('button', { name: 'Close the restart tour' }).click();
    await tour.waitFor({ state: 'detached' });

    // A reload, or the same address elsewhere, runs nothing again.
    await page.reload();
    await page.locator('.react-flow__node').first().waitFor();
    await page.getByRole('link', { name: 'Back to workflows' }).click();
    await page.getByRole('link', { name: 'First steps' }).waitFor();
    const api = await editor.service.login();
    const { body } = await api('GET', '/executions');
    const { executions } = body as { executions: { id: string; status: string }[] };
    expect(executions.map(({ status }) => status)).toEqual(['completed', 'completed']);
    const { body: detail } = await api('GET', `/executions/${executions[0]!.id}`);
    expect((detail as { nodes: { run: number }[] }).nodes).toHaveLength(6);
    await context.close();
  });

  test('a template with values and a secret that is not stored yet', async () => {
    const { page, context, pageErrors } = await editor.browser.open();
    await signIn(page, editor.origin);
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('uptime');
    await page.getByRole('button', { name: 'Use Uptime check' }).click();
    const dialog = page.getByRole('dialog', { name: 'Uptime check' });
    await dialog.getByRole('button', { name: 'Create workflow' }).click();
    await dialog.getByText('is required').waitFor();
    await dialog.getByRole('textbox', { name: 'URL', exact: true }).fill('https://example.com/');
    await dialog.getByLabel('Expected status').fill('2oo');
    await dialog.getByRole('button', { name: 'Create workflow' }).click();
    await dialog.getByText('must be a whole number').waitFor();
    await dialog.getByLabel('Expected status').fill('204');
    await dialog.getByLabel('Secret value').fill('https://chat.example/hook');
    await dialog.getByRole('button', { name: 'Create workflow' }).click();
    await page.waitForURL(/\/workflows\/wf_/);

    const api = await editor.service.login();
    const { body } = await api('GET', '/workflows?search=uptime');
    const [made] = (body as { workflows: { id: string }[] }).workflows;
    const workflow = (await api('GET', `/workflows/${made?.id}`)).body as Record<string, unknown>;
    expect(workflow).toMatchObject({ status: 'draft', issues: [] });
    expect(JSON.stringify(workflow['definition'])).toContain('204');
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});
