import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { configure, makeWorkflow, openCanvas, type CanvasPage } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';

const two = {
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, position: { x: 0, y: 0 } },
    { id: 'first', type: 'set', config: { fields: { a: 1 } }, position: { x: 320, y: 0 } },
    { id: 'second', type: 'set', config: { fields: { b: 1 } }, position: { x: 640, y: 0 } },
  ],
  connections: [
    { from: 'start', to: 'first' },
    { from: 'first', to: 'second' },
  ],
};

describe.skipIf(isChromiumMissing)('keeps every edit', () => {
  let editor: TestEditor;
  let call: Call;

  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  const readStoredConfig = async (canvas: CanvasPage, id: string): Promise<unknown> =>
    (await canvas.stored()).definition.nodes.find((node) => node.id === id)?.config?.['fields'];

  /** Two tabs on one workflow; the first one has saved what the second one does not know. */
  async function twoTabs(
    theirs: object,
    mine: { id: string; fields: object },
  ): Promise<[CanvasPage, CanvasPage]> {
    const a = await openCanvas(editor, call, await makeWorkflow(call, two));
    const b = await openCanvas(editor, call, a.id, { context: a.context });
    await configure(a, 'first', { fields: theirs });
    await a.page.keyboard.press('Control+s');
    await a.saved();
    await configure(b, mine.id, { fields: mine.fields });
    await b.page.keyboard.press('Control+s');
    await b.page.getByRole('dialog', { name: 'This workflow was changed elsewhere' }).waitFor();
    return [a, b];
  }

  test('two tabs that changed different things: both are put together', async () => {
    const [a, b] = await twoTabs({ a: 2 }, { id: 'second', fields: { b: 2 } });
    const dialog = b.page.getByRole('dialog', { name: 'This workflow was changed elsewhere' });
    await dialog.getByRole('region', { name: 'Saved version' }).getByText('config.fields.a').waitFor();
    await dialog.getByRole('region', { name: 'Your changes' }).getByText('config.fields.b').waitFor();
    expect(await readStoredConfig(b, 'second')).toEqual({ b: 1 });
    await dialog.getByRole('button', { name: 'Merge changes' }).click();
    await b.saved();
    expect(await readStoredConfig(b, 'first')).toEqual({ a: 2 });
    expect(await readStoredConfig(b, 'second')).toEqual({ b: 2 });
    expect(a.pageErrors).toEqual([]);
    await Promise.all([a.close(), b.close()]);
  });

  test('two tabs that changed the same field: the user chooses, and no change is lost', async () => {
    const [a, b] = await twoTabs({ a: 'theirs' }, { id: 'first', fields: { a: 'mine' } });
    const dialog = b.page.getByRole('dialog', { name: 'This workflow was changed elsewhere' });
    await dialog.getByText('first (config.fields.a)').waitFor();
    expect(await dialog.getByRole('button', { name: 'Merge changes' }).count()).toBe(0);
    // The user may decide later; nothing is saved meanwhile.
    await b.page.keyboard.press('Escape');
    await b.status().getByText('Changed elsewhere').waitFor();
    expect(await readStoredConfig(b, 'first')).toEqual({ a: 'theirs' });
    await b.page.getByRole('button', { name: 'Resolve…' }).click();
    await dialog.getByRole('button', { name: 'Overwrite with my changes' }).click();
    await b.saved();
    expect(await readStoredConfig(b, 'first')).toEqual({ a: 'mine' });
    const before = await call('GET', `/workflows/${b.id}/versions/2`);
    expect(JSON.stringify(before.body)).toContain('theirs');
    await Promise.all([a.close(), b.close()]);

    const [c, d] = await twoTabs({ a: 'theirs' }, { id: 'first', fields: { a: 'mine' } });
    await d.page.getByRole('button', { name: 'Discard my changes' }).click();
    await d.saved();
    await d.board.focus();
    await d.page.keyboard.press('Control+z');
    await d.page.keyboard.press('Control+s');
    await expect.poll(() => readStoredConfig(d, 'first')).toEqual({ a: 'mine' });
    await Promise.all([c.close(), d.close()]);
  });

  test('a change of tags by a script is not a conflict', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, two));
    await call('PUT', `/workflows/${canvas.id}`, { body: { tags: ['nightly'] } });
    await configure(canvas, 'first', { fields: { a: 5 } });
    await canvas.page.keyboard.press('Control+s');
    await canvas.saved();
    expect(await readStoredConfig(canvas, 'first')).toEqual({ a: 5 });
    await canvas.close();
  });

  test('without a connection it is kept, and saved when there is one', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, two), { isAlone: true });
    // The editor of JSON is loaded when it is needed first.
    await configure(canvas, 'first', { fields: { a: 1 } });
    await canvas.context.setOffline(true);
    await configure(canvas, 'first', { fields: { a: 'offline' } });
    await canvas.page.keyboard.press('Control+s');
    await canvas.page
      .locator('.save')
      .getByText('Not saved; kept in this browser')
      .waitFor({ timeout: 20_000 });
    await canvas.context.setOffline(false);
    await canvas.page
      .locator('.save')
      .filter({ hasText: /^Saved$/ })
      .waitFor({ timeout: 20_000 });
    expect(await readStoredConfig(canvas, 'first')).toEqual({ a: 'offline' });
    await canvas.close();
  });

  test('a page that is reloaded in the middle continues where it was; so does the next one', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, two), { isAlone: true });
    await canvas.context.route('**/v1/workflows/*', async (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await configure(canvas, 'first', { fields: { a: 'unsaved' } });
    await canvas.page.reload();
    await canvas.page.getByText('Unsaved changes restored').first().waitFor();
    await canvas.node('first').click();
    await expect.poll(() => canvas.page.locator('#node-panel').innerHTML()).toContain('unsaved');
    // The tab is closed, and another one restores its draft; another user has saved meanwhile.
    await canvas.page.close();
    const { definition } = await canvas.stored();
    const changed = definition.nodes.map((node) =>
      node.id === 'second' ? { ...node, config: { fields: { b: 9 } } } : node,
    );
    await call('PUT', `/workflows/${canvas.id}`, { body: { definition: { ...definition, nodes: changed } } });
    await canvas.context.unroute('**/v1/workflows/*');
    const next = await openCanvas(editor, call, canvas.id, { context: canvas.context });
    await next.page.getByRole('button', { name: 'Merge changes' }).click();
    await next.saved();
    expect(await readStoredConfig(next, 'first')).toEqual({ a: 'unsaved' });
    expect(await readStoredConfig(next, 'second')).toEqual({ b: 9 });
    // What was saved is not taken up once more.
    await next.page.reload();
    await next.board.waitFor();
    await next.saved();
    expect((await next.stored()).version).toBe(3);
    await canvas.close();
  });

  test('the service goes away and comes back: the work is there', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, two), { isAlone: true });
    await configure(canvas, 'second', { fields: { b: 1 } });
    await editor.service.stop();
    await configure(canvas, 'second', { fields: { b: 'during the restart' } });
    await canvas.page.keyboard.press('Control+s');
    await editor.restart();
    call = await editor.service.login();
    await canvas.page
      .locator('.save')
      .filter({ hasText: /^Saved$/ })
      .waitFor({ timeout: 40_000 });
    const { body } = await call('GET', `/workflows/${canvas.id}`);
    expect(JSON.stringify(body)).toContain('during the restart');
    await canvas.close();
  });

  test('five minutes of editing without a rest stay far below the requests of a standard user', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, two), { isAlone: true });
    const { page, board, node } = canvas;
    let requests = 0;
    page.on('request', (request) => {
      // Streams count as silent and are opened again, because the page's clock runs ahead of the service.
      if (request.headers()['accept']?.includes('text/event-stream') === true) return;
      if (new URL(request.url()).pathname.startsWith('/v1/')) requests++;
    });
    await page.clock.install();
    await node('first').click();
    await board.focus();
    for (let minute = 0; minute < 5; minute++)
      for (let edit = 0; edit < 4; edit++) {
        await page.keyboard.press(edit % 2 === 0 ? 'Shift+ArrowDown' : 'Shift+ArrowRight');
        await page.clock.runFor(15_000);
        await expect.poll(() => canvas.status().textContent()).not.toBe('Saving…');
      }
    expect(requests).toBeGreaterThan(5);
    expect(requests).toBeLessThan(250 / 12);
    await canvas.close();
  });
});
