import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil, type Call } from '../support/service.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { listFindingsInBothThemes } from './support/axe.ts';
import { saveShot } from './support/shots.ts';
import { signIn } from './support/sign-in.ts';

type Run = { id: string; status: string; retries: { id: string; status: string }[] };

describe.skipIf(isChromiumMissing)('the list of executions', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let stock: string;
  let wait: string;

  const create = async (name: string, nodes: object[]): Promise<string> => {
    const [start, ...rest] = ['start', ...nodes.map((node) => (node as { id: string }).id)];
    const response = await api('POST', '/workflows', {
      body: {
        name,
        definition: {
          nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }, ...nodes],
          connections: rest.map((to) => ({ from: start, to })),
        },
      },
    });
    expect(response.status, response.text).toBe(201);
    return (response.body as { id: string }).id;
  };
  const run = async (id: string, body: object = { wait: '20s' }): Promise<string> => {
    const response = await api('POST', `/workflows/${id}/execute`, { body });
    expect(response.status, response.text).toBe(201);
    return (response.body as { id: string }).id;
  };
  const get = async (id: string): Promise<Run> => (await api('GET', `/executions/${id}`)).body as Run;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    const halt = { id: 'halt', type: 'stop', config: { outcome: 'failed', message: 'The shelf is empty' } };
    stock = await create('Check stock', [halt]);
    wait = await create('Wait for approval', [{ id: 'pause', type: 'delay', config: { duration: '1h' } }]);
    const fine = await create('Count orders', [{ id: 'sum', type: 'set', config: { fields: { n: 1 } } }]);
    await run(fine);
    view = await editor.browser.open();
    await signIn(view.page, editor.origin);
  });
  afterAll(async () => {
    await editor?.close();
  });
  const rows = () => view.page.locator('tbody').getByRole('row');
  const open = async (query = ''): Promise<void> => {
    await view.page.goto(`${editor.origin}/executions${query}`);
    await view.page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
  };
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  test('search and filters are part of the URL, and can be saved under a name', async () => {
    const { page } = view;
    const failed = await run(stock);
    await open();
    await expect.poll(() => rows().count()).toBe(2);
    await page.keyboard.press('/');
    await page.keyboard.type('shelf empty');
    await expect.poll(() => rows().count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Failed node' }).fill('halt');
    await page.getByLabel('Started by').selectOption('Manual');
    await expect.poll(() => page.url()).toContain('q=shelf+empty');
    await expect.poll(() => page.url()).toMatch(/trigger=manual&node=halt|node=halt&trigger=manual/);
    await page.reload();
    await page.getByText('The shelf is empty').waitFor();
    await expect.poll(() => rows().count()).toBe(1);

    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save current filters…' }).click();
    await page.getByRole('dialog', { name: 'Save filters' }).getByLabel('Name').fill('Empty shelves');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Empty shelves' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows().count()).toBe(2);
    await page.reload();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Empty shelves' }).click();
    await expect.poll(() => rows().count()).toBe(1);
    await expect
      .poll(() => page.getByRole('searchbox', { name: 'Search by id or error' }).inputValue())
      .toBe('shelf empty');
    await page.getByRole('button', { name: 'Empty shelves' }).click();
    await page.getByRole('menuitem', { name: 'Delete “Empty shelves”' }).click();
    await page.getByRole('button', { name: 'Saved filters' }).waitFor();

    await page.getByRole('searchbox', { name: 'Search by id or error' }).fill(failed.slice(0, -2));
    await page.getByText('The shelf is empty').waitFor();
    await page.getByRole('searchbox', { name: 'Search by id or error' }).fill('no such words');
    await page.getByRole('heading', { name: 'No matching executions' }).waitFor();
  });

  test('a click anywhere in a row opens the execution', async () => {
    const { page } = view;
    await open();
    const first = rows().first();
    await first.getByRole('link').first().waitFor();
    const duration = await first.getByRole('cell').last().boundingBox();
    await page.mouse.click(duration!.x + duration!.width / 2, duration!.y + duration!.height / 2);
    await page.waitForURL(/\/executions\/ex_/);
  });

  test('selected executions are retried after a preview, and each result is shown', async () => {
    const { page } = view;
    const failed = [await run(stock), await run(stock)];
    await open('?status=failed');
    for (const id of failed)
      await page.getByRole('checkbox', { name: `Select the failed execution ${id} of Check stock` }).click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('2 selected').waitFor();
    await expect.poll(() => bar.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
    await bar.getByRole('button', { name: 'Retry 2…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry executions' });
    await dialog.getByText('2 executions will be retried:').waitFor();
    await dialog.getByText('Check stock').waitFor();
    await dialog.getByLabel('From').selectOption('Start');
    await dialog.getByText('including those that send messages').waitFor();
    expect((await get(failed[0]!)).retries).toEqual([]);
    await dialog.getByRole('button', { name: 'Retry 2 executions' }).click();
    await dialog.getByText('2 of 2 done').waitFor();
    await expect.poll(() => dialog.getByRole('link', { name: 'retried' }).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await bar.waitFor({ state: 'detached' });
    const [retry] = await waitUntil(
      async () => (await get(failed[0]!)).retries,
      (retries) => retries[0]?.status === 'failed',
    );

    const row = rows().filter({ hasText: 'retried: failed' }).first();
    await row.waitFor();
    await page.goto(`${editor.origin}/executions/${failed[0]}`);
    await page
      .getByRole('banner')
      .or(page.locator('.editor__head'))
      .getByRole('link', { name: 'failed' })
      .click();
    await page.waitForURL(`**/executions/${retry!.id}`);
    await page.getByRole('link', { name: 'an earlier execution' }).click();
    await page.waitForURL(`**/executions/${failed[0]}`);
  });

  test('two executions of a workflow are compared, node by node', async () => {
    const { page } = view;
    const nodes = [
      {
        id: 'order',
        type: 'set',
        config: { fields: { total: '{{ input.total }}', lines: '{{ input.lines }}' } },
      },
      {
        id: 'large',
        type: 'condition',
        config: { condition: { field: 'total', operator: 'greater_than', value: 100 } },
      },
      { id: 'review', type: 'set', config: { fields: { by: 'a person' } } },
      {
        id: 'fixed',
        type: 'data_transformer',
        config: { operations: [{ action: 'map', input: 'total', output: 'text', transform: 'fixed' }] },
      },
      { id: 'same', type: 'set', config: { fields: { done: true } } },
    ];
    const definition = (review: string) => ({
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        ...nodes.map((node) =>
          node.id === 'review' ? { ...node, config: { fields: { by: review } } } : node,
        ),
      ],
      connections: [
        { from: 'start', to: 'order' },
        { from: 'order', to: 'large' },
        { from: 'large', to: 'review', sourcePort: 'true' },
        { from: 'start', to: 'fixed' },
        { from: 'fixed', to: 'same' },
      ],
    });
    const created = await api('POST', '/workflows', {
      body: { name: 'Check orders', definition: definition('a person') },
    });
    const { id } = created.body as { id: string };
    const small = await run(id, { wait: '20s', input: { total: 50, lines: [{ sku: 'a' }, { sku: 'b' }] } });
    await api('PUT', `/workflows/${id}`, { body: { definition: definition('the manager') } });
    const large = await run(id, { wait: '20s', input: { total: 500, lines: [{ sku: 'a' }, { sku: 'c' }] } });
    const other = await run(stock);

    await open();
    const bar = page.getByRole('region', { name: 'Selection' });
    const select = (one: string) => page.getByRole('checkbox', { name: one }).click();
    await select(large);
    await select(other);
    await expect.poll(() => bar.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
    await select(other);
    await select(small);
    await bar.getByRole('link', { name: 'Compare' }).click();
    // The older one is first, in whichever order they were selected.
    await page.waitForURL(`**/executions/${small}/compare/${large}`);
    await page.getByRole('region', { name: 'Changes to the workflow' }).getByText('the manager').waitFor();
    const input = page.getByRole('region', { name: 'Input', exact: true });
    await expect.poll(() => input.locator('dt').allTextContents()).toEqual(['total', 'lines[1].sku']);
    const compared = page.getByRole('region', { name: 'Nodes' });
    await compared.getByRole('button', { name: /Large.*Different: input, output/ }).click();
    const output = page.getByRole('region', { name: 'Output', exact: true });
    await expect.poll(() => output.locator('dt').allTextContents()).toEqual(['false', 'true']);
    await compared.getByText('Ran only after').waitFor();
    await saveShot(page, 'compare');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const count = await compared.locator('.compare__row').count();
    await compared.getByRole('radio', { name: /All/ }).click();
    await expect.poll(() => compared.locator('.compare__row').count()).toBe(count + 1);
    await compared.locator('.compare__what').getByText('Same', { exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
    await saveShot(page, 'compare-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a retry is compared with the execution that it repeats', async () => {
    const { page } = view;
    const failed = await run(stock);
    const { id } = (await api('POST', `/executions/${failed}/retry`, { body: { from: 'start' } }))
      .body as Run;
    await waitUntil(
      () => get(id),
      ({ status }) => status === 'failed',
    );
    await page.goto(`${editor.origin}/executions/${id}`);
    await page.getByRole('link', { name: 'compare' }).click();
    await page.waitForURL(`**/executions/${failed}/compare/${id}`);
    await page.getByText('The input is the same.').waitFor();
    await page.getByText('All nodes had the same input and output.').waitFor();
  });

  test('all executions of a page are selected, and the running ones are stopped', async () => {
    const { page } = view;
    const waiting = await run(wait, {});
    await waitUntil(
      () => get(waiting),
      ({ status }) => status === 'waiting',
    );
    await open();
    await page.getByText(waiting).waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    await page.getByRole('button', { name: 'Stop 1…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop executions' });
    await dialog.getByText('left out because they have already ended').waitFor();
    await dialog.getByRole('button', { name: 'Stop 1 execution' }).click();
    await dialog.getByText('1 of 1 done').waitFor();
    expect((await get(waiting)).status).toBe('stopped');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  test('the list of workflows shows the last run and the next one', async () => {
    const { page } = view;
    const nightly = await api('POST', '/workflows', {
      body: {
        name: 'Nightly report',
        status: 'active',
        definition: {
          nodes: [{ id: 'night', type: 'trigger', config: { triggerType: 'schedule', interval: '3h' } }],
          connections: [],
        },
      },
    });
    expect(nightly.status, nightly.text).toBe(201);
    const failed = await run(stock);
    await page.goto(`${editor.origin}/workflows`);
    const nightlyRow = rows().filter({ hasText: 'Nightly report' });
    await nightlyRow.getByText(/^in /).waitFor();
    await nightlyRow.getByText('never').waitFor();
    await rows().filter({ hasText: 'Check stock' }).getByRole('link', { name: 'failed' }).click();
    await page.waitForURL(`**/executions/${failed}`);
  });

  test('executions of more than a thousand node runs are compared as a whole', async () => {
    const { page } = view;
    const response = await api('POST', '/workflows', {
      body: {
        name: 'Read numbers',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            { id: 'each', type: 'for_each', config: { items: '{{ input.list }}', nodes: ['read'] } },
            { id: 'read', type: 'set', config: { fields: { n: '{{ item }}' } } },
          ],
          connections: [{ from: 'start', to: 'each' }],
        },
      },
    });
    const { id } = response.body as { id: string };
    const list = Array.from({ length: 1_300 }, (_, i) => i);
    const first = await run(id, { wait: '30s', input: { list } });
    const second = await run(id, { wait: '30s', input: { list: list.with(1_150, -1) } });
    await page.goto(`${editor.origin}/executions/${first}/compare/${second}`);
    const compared = page.getByRole('region', { name: 'Nodes' });
    // Of each: the first thousand, and the last page with 2 of 1,302.
    await compared.getByText('2,004 of 2,604 node runs are compared.').waitFor();
    expect(await compared.getByText('each[1150]/read').count()).toBe(0);
    await compared.getByRole('button', { name: 'Compare all' }).click();
    await compared.getByText('each[1150]/read').waitFor();
    await saveShot(page, 'compare-long');
    expect(await compared.getByText(/node runs are compared/).count()).toBe(0);
  });

  test('node runs whose data is too large are not compared, and the page says so', async () => {
    const { page } = view;
    const response = await api('POST', '/workflows', {
      body: {
        name: 'Copy texts',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'each',
              type: 'for_each',
              config: { items: '{{ input.list }}', nodes: ['copy', 'shorten'] },
            },
            { id: 'copy', type: 'set', config: { fields: { text: '{{ trigger.text }}' } } },
            { id: 'shorten', type: 'pick', config: { fields: ['index'] } },
          ],
          connections: [{ from: 'start', to: 'each' }],
        },
      },
    });
    const { id } = response.body as { id: string };
    const input = { list: Array.from({ length: 45 }, (_, i) => i), text: 'x'.repeat(900_000) };
    const first = await run(id, { wait: '60s', input });
    const second = await run(id, { wait: '60s', input });
    await page.goto(`${editor.origin}/executions/${first}/compare/${second}`);
    const compared = page.getByRole('region', { name: 'Nodes' });
    await compared.getByText('All compared nodes had the same input and output.').waitFor();
    await compared.getByText(/^\d+ of 184 node runs are compared\.$/).waitFor();
    await compared.getByRole('button', { name: 'Compare all' }).click();
    await compared.getByText('The others are not compared: their data is too large.').waitFor();
    await saveShot(page, 'compare-too-large');
    expect(await compared.getByRole('button', { name: 'Compare all' }).count()).toBe(0);
  });
});
