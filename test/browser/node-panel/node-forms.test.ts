import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinNodes } from '../../../src/nodes/registry.ts';
import { selectControl, listFields, type Schema } from '../../../web/src/node-panel/model/field.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { signIn } from '../support/sign-in.ts';

type Config = Record<string, unknown>;
type Entry = { id: string; type: string; position: { x: number; y: number }; config: Config };

const COLUMNS = 6;
/** ms: some forty forms are filled in and read back in a real browser. */
const LONG_TIMEOUT_MS = 120_000;

/** A node of each type with the configuration of its first example. */
const entries: readonly Entry[] = builtinNodes.map((type, at) => ({
  id: type.type,
  type: type.type,
  position: { x: (at % COLUMNS) * 560, y: Math.floor(at / COLUMNS) * 320 },
  config: (type.examples[0]?.config ?? {}) as Config,
}));

describe.skipIf(isChromiumMissing)('the form of every type of node', () => {
  let editor: TestEditor;
  let page: Page;
  let pageErrors: string[];
  let call: Api;
  let workflow: string;

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    await call('POST', '/connections', {
      name: 'crm',
      provider: 'hubspot',
      client_id: 'an-app',
      client_secret: 'a secret of the app',
    });
    // A draft: the nodes that examples speak of are not there.
    workflow = (
      await call('POST', '/workflows', { name: 'Forms', definition: { nodes: entries, connections: [] } })
    )['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
    await choose(entries[0]!.id);
    await page.getByRole('button', { name: 'Fit view (1)' }).click();
  });
  afterAll(() => editor?.close());

  const choose = (id: string): Promise<void> => selectNode(page, id);

  test(
    'shows required fields and the values of an example, and returns the example unchanged',
    async () => {
      const wrong: string[] = [];
      for (const { id, config } of entries) {
        await choose(id);
        const schema = builtinNodes.find(({ type }) => type === id)!.config as Schema;
        // The editor of code is loaded when it is needed.
        if (id === 'code') await page.locator('#node-panel .cm-line').first().waitFor();
        const hiddenValues = onlyValues(schema);
        const { values, labels } = await page.evaluate(exerciseFields);
        for (const label of neededLabels(schema, config))
          if (!labels.some((one) => one.startsWith(label))) wrong.push(`${id} does not draw ${label}`);
        for (const leaf of listLeaves(config))
          if (!hiddenValues.has(leaf) && !values.some((value) => value.includes(leaf)))
            wrong.push(`${id} does not show ${leaf}`);
      }
      expect(wrong).toEqual([]);
      expect(pageErrors).toEqual([]);
      await page.keyboard.press('Control+s');
      await page.getByText('Saved', { exact: true }).first().waitFor();
      const { definition } = (await call('GET', `/workflows/${workflow}`)) as unknown as {
        definition: { nodes: Entry[] };
      };
      for (const { id, config } of entries)
        expect([id, definition.nodes.find((node) => node.id === id)?.config]).toEqual([id, config]);
    },
    LONG_TIMEOUT_MS,
  );

  test(
    'draws every shape that a configuration can have',
    async () => {
      const drawn: string[] = [];
      for (const { id } of entries) {
        await choose(id);
        const kinds = page.locator('#node-panel').getByLabel('Type', { exact: true });
        if ((await kinds.count()) === 0) continue;
        const options = await kinds.first().evaluate(chooseEach);
        drawn.push(...options.map((option) => `${id} ${option}`));
      }
      expect(drawn.length).toBeGreaterThan(20);
      expect(pageErrors).toEqual([]);
    },
    LONG_TIMEOUT_MS,
  );

  test('a connected account is offered by its name', async () => {
    await choose('customer_records');
    await page.locator('#node-panel').getByLabel('Credentials').click();
    await page.getByRole('menuitem', { name: 'crm HubSpot · Needs sign-in' }).waitFor();
  });
});

/** In the page: chooses each kind of a configuration, one after the other; gives those that were drawn. */
async function chooseEach(first: Element): Promise<string[]> {
  const turns = new MessageChannel();
  const drawn: string[] = [];
  for (const { value } of (first as HTMLSelectElement).options) {
    // Another kind may draw the field itself anew.
    const label = (first as HTMLSelectElement).labels?.[0]?.textContent ?? 'Type';
    const field =
      [...document.querySelectorAll<HTMLSelectElement>('#node-panel select')].find(
        (one) => one.labels?.[0]?.textContent === label,
      ) ?? (first as HTMLSelectElement);
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')!.set!.call(field, value);
    field.dispatchEvent(new Event('change', { bubbles: true }));
    await new Promise((resolve) => {
      turns.port1.onmessage = resolve;
      turns.port2.postMessage(null);
    });
    if (field.value === value) drawn.push(value);
  }
  return drawn;
}

/** Runs in the page: types into each field, restores it, and returns the fields' values and labels. */
async function exerciseFields(): Promise<{ values: string[]; labels: string[] }> {
  // What an event changes is drawn when its turn is over; a frame on the screen is not waited for.
  const turns = new MessageChannel();
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      turns.port1.onmessage = () => resolve();
      turns.port2.postMessage(null);
    });
  const panel = document.querySelector('#node-panel')!;
  const own = (element: Element): boolean => element.closest('.fold') === null;
  const put = async (element: HTMLElement, value: string): Promise<void> => {
    const kind =
      element instanceof HTMLTextAreaElement
        ? HTMLTextAreaElement
        : element instanceof HTMLSelectElement
          ? HTMLSelectElement
          : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')!.set!.call(element, value);
    element.dispatchEvent(new Event(kind === HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
    await turn();
  };
  const labels = [...panel.querySelectorAll('label, .section__toggle')].map((label) => label.textContent);
  const selector = '.panel__body input, .panel__body textarea, .panel__body select';
  const fields = [...panel.querySelectorAll<HTMLInputElement>(selector)].filter(own);
  const values = [
    ...fields.map(({ value }) => value),
    // The name of a secret stands for its template.
    ...[...panel.querySelectorAll('.picker__button .picker__name')].flatMap(({ textContent: name }) => [
      name,
      `{{ secrets.${name} }}`,
    ]),
    // Controls that open a list show their value as text.
    ...[...panel.querySelectorAll('.operation-select')].map((button) => button.textContent.trim()),
    ...[...panel.querySelectorAll('.code-editor')].map((code) =>
      [...(code.shadowRoot?.querySelectorAll('.cm-line') ?? [])].map((line) => line.textContent).join('\n'),
    ),
  ];
  for (const field of fields) {
    const before = field.value;
    if (!(field instanceof HTMLSelectElement)) await put(field, `${before}x`);
    else if (/^(?:Type|Match|Group|Negated condition)/.test(field.labels?.[0]?.textContent ?? '')) continue;
    else {
      // None takes an item of a list away, and what is not there cannot be chosen again.
      const { options, selectedIndex } = field as HTMLSelectElement;
      if (options[selectedIndex]?.text.endsWith('(not found)') === true) continue;
      const other = [...options].find(({ value }) => value !== before && value !== '');
      if (other !== undefined) await put(field, other.value);
    }
    // A change may have drawn it anew.
    if (field.isConnected) await put(field, before);
  }
  return { values, labels };
}

/** The values of fields that are hidden because they accept no other value. */
function onlyValues(schema: Schema): ReadonlySet<unknown> {
  return new Set([
    // The form of a JSON Schema writes the type of its root itself.
    'object',
    ...listFields(schema)
      .filter(({ ui }) => ui.hidden === true)
      .flatMap((field) => field.schema.enum ?? []),
  ]);
}

function neededLabels(schema: Schema, config: Config): string[] {
  const control = selectControl(schema);
  const shape =
    control.kind === 'variant'
      ? control.variants.find(({ value }) => value === config[control.tag])?.schema
      : schema;
  const tag = control.kind === 'variant' ? control.tag : null;
  return listFields(shape ?? {})
    .filter(
      ({ isRequired, key, ui }) =>
        isRequired && key !== tag && ui.hidden !== true && ui.control === undefined,
    )
    .map(({ label }) => label);
}

/** Every text and number in a configuration, as a field would show it. */
function listLeaves(config: Config): string[] {
  const found: string[] = [];
  const open: unknown[] = [config];
  for (const value of open) {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'number' || typeof value === 'boolean') found.push(String(value));
    else if (typeof value === 'object' && value !== null) open.push(...Object.values(value));
  }
  return found;
}
