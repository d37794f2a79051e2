import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { configure, drag, makeWorkflow, getCenter, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

const chain = {
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, position: { x: 0, y: 0 } },
    { id: 'first', type: 'set', config: { fields: { a: 1 } }, position: { x: 320, y: 0 } },
    {
      id: 'second',
      type: 'set',
      config: { fields: { b: '{{ nodes.first.a }}' } },
      position: { x: 640, y: 0 },
    },
  ],
  connections: [
    { from: 'start', to: 'first' },
    { from: 'first', to: 'second' },
  ],
};

describe.skipIf(isChromiumMissing)('the canvas', () => {
  let editor: TestEditor;
  let call: Call;

  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  test('builds a workflow on an empty canvas by mouse, saves, undoes and redoes it', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call));
    const { page, node, board } = canvas;
    await page.getByRole('button', { name: 'Add trigger' }).click();
    await node('trigger').waitFor();

    // Dragged from the list of types, into the empty canvas.
    const area = (await board.boundingBox())!;
    await page.getByLabel('Search node types').fill('condition');
    await page
      .getByRole('button', { name: 'Condition', exact: true })
      .dragTo(board, { targetPosition: { x: area.width - 500, y: area.height / 2 } });
    await node('condition').waitFor();
    await page.getByRole('button', { name: 'Close node palette' }).click();
    await page.keyboard.press('1');

    // Connect by dragging; a connection dropped on the empty canvas opens the node picker.
    await drag(page, node('trigger').locator('.port--out'), node('condition').locator('.port--in'));
    await expect.poll(canvas.edges).toEqual(['trigger.out → condition']);
    const truth = node('condition').locator('.port--out').first();
    const from = await getCenter(truth);
    await drag(page, truth, { x: from.x + 120, y: from.y + 160 });
    await page.getByRole('combobox', { name: 'Add node' }).fill('respond');
    await page.keyboard.press('Enter');
    await node('respond').waitFor();
    await expect.poll(() => canvas.edges()).toEqual(['condition.true → respond', 'trigger.out → condition']);

    // What cannot be, is not, and says why.
    await drag(page, node('respond').locator('.port--out'), node('trigger'));
    await page.getByText('A trigger has no input.', { exact: true }).first().waitFor();

    await canvas.saved();
    const stored = await canvas.stored();
    expect(stored.definition.nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'trigger trigger',
      'condition condition',
      'respond respond',
    ]);
    expect(stored.definition.connections.length).toBe(2);

    for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Undo (Ctrl+Z)' }).click();
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(0);
    await page.getByText('What starts this workflow?').waitFor();
    await page.keyboard.press('Tab');
    await board.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('Control+Shift+Z');
    await expect.poll(canvas.edges).toEqual(['condition.true → respond', 'trigger.out → condition']);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('builds a workflow on an empty canvas by keyboard alone', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call));
    const { page, node, board } = canvas;
    await page.mouse.move(0, 0);
    // From the first stop of the page to the canvas, as anybody without a mouse goes.
    for (let i = 0; i < 60 && !(await board.evaluate((it) => it === document.activeElement)); i++)
      await page.keyboard.press('Tab');
    const add = async (text: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Add node' }).waitFor();
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'Add node' }).waitFor({ state: 'hidden' });
    };
    await page.keyboard.press('/');
    await add('trigger');
    await page.keyboard.press('Tab');
    await add('for each');
    await page.keyboard.press('Tab');
    await add('respond');
    await expect.poll(() => canvas.edges()).toEqual(['for_each.out → respond', 'trigger.out → for_each']);

    // Back to the loop, and a node into its body; out of it by another key, and undone.
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => node('for_each').getAttribute('class')).toContain('selected');
    await page.keyboard.press('i');
    await add('set fields');
    await expect.poll(() => page.locator('.react-flow__node[data-id="set"]').count()).toBe(1);
    await page.keyboard.press('o');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => node('for_each').getAttribute('class')).toContain('selected');
    await page.keyboard.press('c');
    await page.getByRole('combobox', { name: /^Connect For each to/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('F2');
    await page.getByLabel('Node name').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Each order');
    await page.keyboard.press('Enter');
    await expect.poll(() => node('for_each').textContent()).toContain('Each order');

    // The panel, then back to the canvas.
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('.editor__panel') !== null))
      .toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => board.evaluate((it) => it === document.activeElement)).toBe(true);

    // The menu by its key; a comment; the sheet.
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByLabel('Comment text').waitFor();
    await page.keyboard.type('Why it is so');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Why it is so').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+s');
    await canvas.saved();
    const stored = await canvas.stored();
    const loop = stored.definition.nodes.find(({ id }) => id === 'for_each');
    expect(loop?.name).toBe('Each order');
    expect(loop?.config?.['nodes']).toEqual(['set']);
    expect(stored.definition.connections.length).toBe(2);

    // The canvas does not trap the focus: with nothing selected, Tab leaves it.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect.poll(() => board.evaluate((it) => it === document.activeElement)).toBe(false);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('nodes go into a body and out of it, and take their place in its order', async () => {
    const definition = {
      nodes: [
        {
          id: 'loop',
          type: 'for_each',
          config: { items: '{{ input.rows }}', nodes: ['a', 'b'] },
          position: { x: 0, y: 0 },
        },
        { id: 'a', type: 'set', config: { fields: {} } },
        { id: 'b', type: 'set', config: { fields: {} } },
        { id: 'c', type: 'set', config: { fields: {} }, position: { x: 0, y: 300 } },
      ],
      connections: [],
    };
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, definition));
    const { page, node } = canvas;
    await expect.poll(() => canvas.edges()).toEqual(['a.out → b']);
    const b = await getCenter(node('b'));
    await drag(page, node('c'), { x: b.x - 60, y: b.y });
    await expect.poll(canvas.edges).toEqual(['a.out → c', 'c.out → b']);
    const lane = page.locator('.lane');
    const { x, y, height } = (await lane.boundingBox())!;
    await drag(page, node('a'), { x: x + 200, y: y + height + 160 });
    await expect.poll(canvas.edges).toEqual(['c.out → b']);
    await canvas.saved();
    const { definition: stored } = await canvas.stored();
    expect(stored.nodes.find(({ id }) => id === 'loop')?.config?.['nodes']).toEqual(['c', 'b']);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('nodes are copied into another workflow, found, arranged and selected together', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, chain));
    const { page, node, board } = canvas;
    await canvas.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await board.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    const other = await openCanvas(editor, call, await makeWorkflow(call, chain), {
      context: canvas.context,
    });
    await other.board.focus();
    await other.page.keyboard.press('Control+v');
    await expect.poll(() => other.page.locator('.react-flow__node').count()).toBe(6);
    await other.saved();
    const { definition } = await other.stored();
    expect(definition.nodes.find(({ id }) => id === 'second_2')?.config).toEqual({
      fields: { b: '{{ nodes.first_2.a }}' },
    });
    expect(definition.connections).toContainEqual({ from: 'first_2', to: 'second_2' });

    await other.page.keyboard.press('Control+f');
    await other.page.keyboard.type('first_2');
    await other.page.getByText('1 of 2').waitFor();
    await other.page.keyboard.press('Escape');
    await expect
      .poll(() => other.page.locator('.react-flow__node.selected').getAttribute('data-id'))
      .toBe('first_2');
    await other.page.close();

    // A frame drawn with Shift selects what it touches; then the nodes are aligned.
    await page.keyboard.press('Escape');
    await drag(page, node('second'), { x: 900, y: 700 });
    await page.keyboard.press('1');
    const area = (await board.boundingBox())!;
    await page.keyboard.down('Shift');
    await page.mouse.move(area.x + 5, area.y + 5);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width - 5, area.y + area.height - 100, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await expect.poll(() => page.locator('.react-flow__node.selected').count()).toBe(3);
    await page.keyboard.press('l');
    await expect
      .poll(
        async () =>
          new Set(
            await Promise.all(
              ['start', 'first', 'second'].map(async (id) => Math.round((await getCenter(node(id))).y)),
            ),
          ).size,
      )
      .toBe(1);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('a comment is written, drawn larger and colored', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, chain));
    const { page, board, node } = canvas;
    const area = (await board.boundingBox())!;
    await page.mouse.click(area.x + 300, area.y + 120, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Add comment' }).click();
    await page.getByLabel('Comment text').fill('Why');
    await page.keyboard.press('Escape');
    const note = page.locator('.react-flow__node-note');
    const before = (await note.boundingBox())!;
    const corner = note.locator('.react-flow__resize-control.handle.bottom.right');
    const at = await getCenter(corner);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 90, at.y + 60, { steps: 4 });
    await expect.poll(async () => (await note.boundingBox())!.width).toBeGreaterThan(before.width + 60);
    await page.mouse.up();
    await note.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'blue' }).click();
    await node('first').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Node name').fill('Renamed');
    await page.keyboard.press('Enter');
    await node('first').getByText('Renamed').waitFor();
    await page.keyboard.press('Control+s');
    await canvas.saved();
    const [stored] = ((await canvas.stored()).definition as { annotations?: Record<string, unknown>[] })
      .annotations!;
    expect(stored).toMatchObject({ kind: 'note', text: 'Why', colour: 'blue' });
    expect(stored!['width']).toBeGreaterThan(240);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('an error is shown on its node; the panel changes it; activating and publishing show the active version', async () => {
    const bare = { ...chain, nodes: [...chain.nodes.slice(0, 2), { ...chain.nodes[2]!, config: {} }] };
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, bare));
    const { page, node } = canvas;
    await node('second').getByText('1 error').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('Could not activate the workflow').first().waitFor();
    await page
      .getByText(/^Second → fields: /)
      .first()
      .waitFor();
    await configure(canvas, 'second', { fields: { b: 2 } });
    await canvas.saved();
    await node('second').getByText('1 error').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Published' }).waitFor();
    const live = await canvas.stored();
    expect(live.active_version).toBe(live.version);

    // After an edit, the former version stays active until the new one is published.
    await configure(canvas, 'second', { fields: { b: 3 } });
    await page.keyboard.press('Control+s');
    await canvas.saved();
    const edited = await canvas.stored();
    expect(edited.active_version).toBe(live.version);
    expect(edited.version).toBeGreaterThan(live.version);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'Published' }).waitFor();
    const published = await canvas.stored();
    expect(published.active_version).toBe(published.version);

    // A new id is followed by what reads it.
    await node('first').click();
    await page.locator('#node-panel').getByRole('button', { name: 'General' }).click();
    await page.getByLabel('ID', { exact: true }).fill('prepare');
    await page.keyboard.press('Enter');
    await node('prepare').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+s');
    await canvas.saved();
    expect((await canvas.stored()).definition.connections).toContainEqual({ from: 'prepare', to: 'second' });
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('versions are compared in a picture and put back', async () => {
    const id = await makeWorkflow(call, chain);
    const { body } = await call('GET', `/workflows/${id}`);
    const { definition } = body as { definition: typeof chain };
    await call('PUT', `/workflows/${id}`, {
      body: {
        definition: {
          nodes: [
            ...definition.nodes
              .slice(0, 2)
              .map((node) => (node.id === 'first' ? { ...node, config: { fields: { a: 2 } } } : node)),
            { id: 'third', type: 'set', config: { fields: {} }, position: { x: 640, y: 160 } },
          ],
          connections: [definition.connections[0], { from: 'first', to: 'third' }],
        },
      },
    });
    const canvas = await openCanvas(editor, call, id);
    const { page } = canvas;
    await page.getByRole('button', { name: 'Version history' }).click();
    const dialog = page.getByRole('dialog', { name: 'Version history' });
    await dialog.locator('.marked--added').waitFor();
    await expect.poll(() => dialog.locator('.marked--removed').textContent()).toContain('Second');
    await dialog.getByText('config.fields.a').waitFor();
    expect(await dialog.getByRole('button', { name: /^Version 2/ }).textContent()).toContain('Administrator');
    await dialog.getByRole('button', { name: /^Version 1/ }).click();
    await dialog.getByRole('button', { name: 'Name this version' }).click();
    const naming = page.getByRole('dialog', { name: 'Name of version 1' });
    await naming.getByLabel('Name').fill('\u0007');
    await naming.getByRole('button', { name: 'Save' }).click();
    await naming.getByText(/without control characters/).waitFor();
    await naming.getByLabel('Name').fill('Before the sale');
    await naming.getByRole('button', { name: 'Save' }).click();
    await naming.waitFor({ state: 'detached' });
    const named = dialog.getByRole('button', { name: /^Before the sale/ });
    await expect.poll(() => named.textContent()).toContain('Version 1');
    await saveShot(page, 'version-names');
    await dialog.getByRole('button', { name: 'Restore version 1' }).click();
    await canvas.node('second').waitFor();
    await canvas.saved();
    const stored = await canvas.stored();
    expect(stored.version).toBe(3);
    expect(stored.definition.nodes.map((node) => node.id)).toEqual(['start', 'first', 'second']);
    await canvas.board.focus();
    await page.keyboard.press('Control+z');
    await canvas.node('third').waitFor();
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });
});
