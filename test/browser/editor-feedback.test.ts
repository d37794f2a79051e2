import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../sdk/src/index.ts';
import { adminEmail, adminPassword } from '../support/service.ts';
import { createSignedInApi, type Api } from './support/caller.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { openPage, signIn } from './support/sign-in.ts';

const start = {
  id: 'start',
  type: 'trigger',
  position: { x: 0, y: 0 },
  config: { triggerType: 'manual' },
};

/** What the editor shows about runs, errors and data is true and complete. */
describe.skipIf(isChromiumMissing)('feedback of the editor', () => {
  let editor: TestEditor;
  let upstream: Server;
  let origin: string;
  let call: Api;
  const opened: Page[] = [];
  const pageErrors: string[][] = [];

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const isBroken = request.url === '/broken';
      response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isBroken ? { error: 'database is read only' } : { path: request.url }));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: origin.slice('http://'.length) });
    call = await createSignedInApi(editor.origin);
  });
  afterAll(async () => {
    for (const page of opened) await page.context().close();
    await editor?.close();
    upstream?.close();
  });

  async function create(nodes: object[], connections: object[], name = 'Feedback'): Promise<string> {
    const { id } = await call('POST', '/workflows', { name, definition: { nodes, connections } });
    return id as string;
  }
  async function run(id: string, input: object = {}): Promise<string> {
    return (await call('POST', `/workflows/${id}/execute`, { input, wait: '30s' }))['id'] as string;
  }
  async function open(id: string): Promise<Page> {
    const { page, pageErrors: found } = await editor.browser.open({ size: { width: 1440, height: 1000 } });
    opened.push(page);
    pageErrors.push(found);
    await signIn(page, editor.origin, `/workflows/${id}`);
    await page.locator('.react-flow__node').first().waitFor();
    return page;
  }
  const node = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const select = async (page: Page, id: string): Promise<void> => {
    await node(page, id).click();
    await page.locator(`#node-panel[data-node="${id}"]`).waitFor();
  };
  const panel = (page: Page) => page.getByRole('region', { name: 'Run', exact: true });

  const failing = () => [
    start,
    {
      id: 'call',
      type: 'http_request',
      name: 'Call the shop',
      position: { x: 320, y: 0 },
      config: { url: `${origin}/broken` },
    },
    { id: 'after', type: 'set', position: { x: 640, y: 0 }, config: { fields: { done: true } } },
  ];
  const chain = [
    { from: 'start', to: 'call' },
    { from: 'call', to: 'after' },
  ];

  test('Retry starts from what failed on the newest version, whichever node is selected', async () => {
    const page = await open(await create(failing(), chain));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await panel(page).getByText('failed', { exact: true }).first().waitFor();
    await select(page, 'after');
    await panel(page).getByRole('button', { name: 'Retry…' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel('From', { exact: true }).inputValue()).toBe('failed');
    await expect.poll(() => dialog.getByLabel('Workflow version').inputValue()).toBe('current');
    const request = page.waitForRequest((one) => one.url().endsWith('/retry'));
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    const sent = await request;
    expect(sent.postDataJSON()).toEqual({ from: 'failed', version: 'current' });
    expect((await sent.response())?.status()).toBe(201);
  });

  test('an error of Retry names the node and its field', async () => {
    const id = await create(failing(), chain);
    const page = await open(id);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await panel(page).getByText('failed', { exact: true }).first().waitFor();
    const nodes = failing();
    (nodes[1] as { config: { url: string } }).config.url = `${origin}/{{ input.id`;
    await call('PUT', `/workflows/${id}`, { definition: { nodes, connections: chain } });
    await panel(page).getByRole('button', { name: 'Retry…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('dialog').getByText('Call the shop → url:').waitFor();
  });

  test('a failed call shows the response that it got, and offers no output to pin', async () => {
    const id = await create(failing(), chain);
    await run(id);
    const page = await open(id);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await panel(page).getByRole('button', { name: 'Show Call the shop' }).click();
    const response = page.getByRole('region', { name: 'Response', exact: true });
    await response.getByRole('radio', { name: 'JSON' }).click();
    await response.getByText('database is read only').waitFor();
    expect(await page.getByRole('button', { name: 'Pin output' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Output', exact: true }).count()).toBe(0);
  });

  test('an ended run is never in the future, however long no time was displayed', async () => {
    const id = await create([start], []);
    const page = await open(id);
    // The page loads five minutes before the run, and displays no time until after it.
    await page.clock.install({ time: Date.now() - 300_000 });
    await page.reload();
    await page.locator('.react-flow__node').first().waitFor();
    await page.clock.fastForward('05:00');
    const execution = await run(id);
    await page.evaluate(`history.pushState(null, '', '/executions/${execution}')`);
    const time = page.locator('header time').first();
    await time.waitFor();
    expect(await time.textContent()).not.toMatch(/^in /);
  });

  test('pins are marked on the card and survive a reload', async () => {
    const id = await create(
      [start, { id: 'shape', type: 'set', position: { x: 320, y: 0 }, config: { fields: { a: 1 } } }],
      [{ from: 'start', to: 'shape' }],
    );
    await run(id);
    const page = await open(id);
    await select(page, 'shape');
    await page.getByRole('tab', { name: /^Output/ }).click();
    const saved = page.waitForResponse((one) => one.url().endsWith('/pinned-outputs/shape') && one.ok());
    await page.getByRole('button', { name: 'Pin output' }).click();
    await node(page, 'shape').getByText('Output pinned').waitFor({ state: 'attached' });
    await saved;
    await page.reload();
    await node(page, 'shape').getByText('Output pinned').waitFor({ state: 'attached' });
    const request = page.waitForRequest((one) => one.url().endsWith('/execute'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect((await request).postDataJSON()).toMatchObject({ pins: { shape: { a: 1 } } });
    await select(page, 'shape');
    await page.getByRole('tab', { name: /^Output/ }).click();
    await page.getByRole('button', { name: 'Unpin output' }).click();
    await node(page, 'shape').getByText('Output pinned').waitFor({ state: 'detached' });
  });

  test('a pinned output is written by hand before the first run, and edited', async () => {
    const id = await create(
      [start, { id: 'shape', type: 'set', position: { x: 320, y: 0 }, config: { fields: { a: 1 } } }],
      [{ from: 'start', to: 'shape' }],
    );
    const page = await open(id);
    await select(page, 'shape');
    await page.getByRole('tab', { name: /^Output/ }).click();
    const write = async (button: string, text: string): Promise<void> => {
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: 'Pinned output' });
      await dialog.locator('.cm-content').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
      await dialog.getByRole('button', { name: 'Pin output' }).click();
    };
    await write('Write output', '{"total": ');
    const dialog = page.getByRole('dialog', { name: 'Pinned output' });
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await write('Write output', '{"total": 12}');
    await node(page, 'shape').getByText('Output pinned').waitFor({ state: 'attached' });
    await write('Edit pinned output', '[13]');
    await expect
      .poll(async () => call('GET', `/workflows/${id}/pinned-outputs`))
      .toEqual({
        pinned_outputs: [{ node_id: 'shape', output: [13], ports: null, pinned_at: expect.any(String) }],
      });
    const request = page.waitForRequest((one) => one.url().endsWith('/execute'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect((await request).postDataJSON()).toMatchObject({ pins: { shape: [13] } });
  });

  test('the pin of a node with several outputs keeps its port', async () => {
    const step = (node: string, y: number) => ({
      id: node,
      type: 'set',
      position: { x: 640, y },
      config: { fields: { node } },
    });
    const condition = { field: 'n', operator: 'greater_than', value: 5 };
    const id = await create(
      [
        start,
        { id: 'check', type: 'condition', position: { x: 320, y: 0 }, config: { condition } },
        step('large', 0),
        step('small', 160),
      ],
      [
        { from: 'start', to: 'check' },
        { from: 'check', sourcePort: 'true', to: 'large' },
        { from: 'check', sourcePort: 'false', to: 'small' },
      ],
    );
    await run(id, { n: 1 });
    const page = await open(id);
    await select(page, 'check');
    await page.getByRole('tab', { name: /^Output/ }).click();
    const stored = async (): Promise<unknown> =>
      ((await call('GET', `/workflows/${id}/pinned-outputs`)) as { pinned_outputs: unknown }).pinned_outputs;
    await page.getByRole('button', { name: 'Pin output' }).click();
    await page.getByText('Output ports: false').waitFor();
    await expect.poll(stored).toMatchObject([{ node_id: 'check', output: { n: 1 }, ports: ['false'] }]);

    // The run takes the branch of the port.
    await page.reload();
    const execute = async (): Promise<Record<string, unknown>> => {
      const response = page.waitForResponse((one) => one.url().endsWith('/execute') && one.ok());
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await response;
      const newest = async (): Promise<Record<string, unknown>> =>
        (
          (await call('GET', `/executions?workflow_id=${id}&limit=1`)) as {
            executions: Record<string, unknown>[];
          }
        ).executions[0]!;
      await expect.poll(async () => (await newest())['end_time']).not.toBeNull();
      return call('GET', `/executions/${String((await newest())['id'])}`);
    };
    expect((await execute())['output']).toEqual({ n: 1, node: 'small' });

    await select(page, 'check');
    await page.getByRole('tab', { name: /^Output/ }).click();
    await page.getByRole('button', { name: 'Edit pinned output' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pinned output' });
    await dialog.getByRole('checkbox', { name: 'true' }).check();
    await dialog.getByRole('button', { name: 'Pin output' }).click();
    await dialog.getByRole('alert').getByText('an object with a value for each: true, false').waitFor();
    await saveShot(page, 'pin-ports');
    await dialog.getByRole('checkbox', { name: 'false' }).uncheck();
    await dialog.getByRole('button', { name: 'Pin output' }).click();
    await expect.poll(stored).toMatchObject([{ output: { n: 1 }, ports: null }]);
    expect((await execute())['output']).toEqual({ n: 1, node: 'large' });
  });

  test('with nothing selected, / adds after the only open end', async () => {
    const id = await create([start], []);
    const page = await open(id);
    await page.locator('.editor .canvas__board').first().focus();
    await page.keyboard.press('/');
    await page.getByPlaceholder('Add node…').pressSequentially('set f');
    await page.keyboard.press('Enter');
    await node(page, 'set').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const { definition } = (await call('GET', `/workflows/${id}`)) as {
      definition: { connections: object[] };
    };
    expect(definition.connections).toMatchObject([{ from: 'start', to: 'set' }]);
  });

  test('a line of the log stays one line in a locale with AM and PM', async () => {
    const id = await create([start], []);
    const { page } = await editor.browser.open();
    await page.context().close();
    const context = await page.context().browser()!.newContext({ locale: 'en-US', timezoneId: 'UTC' });
    const american = await context.newPage();
    opened.push(american);
    await signIn(american, editor.origin, `/workflows/${id}`);
    await american.locator('.react-flow__node').first().waitFor();
    await american.getByRole('button', { name: 'Run', exact: true }).click();
    await panel(american).getByRole('radio', { name: 'Log' }).click();
    const times = american.locator('.log__time');
    await times.first().waitFor();
    await expect.poll(() => times.first().textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
    const areOneLine = await times.evaluateAll((all) =>
      all.every(
        (one) => one.getBoundingClientRect().height < 2 * Number.parseFloat(getComputedStyle(one).fontSize),
      ),
    );
    expect(areOneLine).toBe(true);
  });

  test('in a loop the preview uses the item of the run', async () => {
    const id = await create(
      [
        start,
        {
          id: 'each',
          type: 'for_each',
          position: { x: 320, y: 0 },
          config: { items: '{{ input.items }}', nodes: ['fetch'] },
        },
        { id: 'fetch', type: 'http_request', config: { url: `${origin}/item/{{ item.id }}` } },
      ],
      [{ from: 'start', to: 'each' }],
    );
    const page = await open(id);
    await select(page, 'fetch');
    await page.getByLabel('URL').click();
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Run with input…' }).click();
    await page.getByRole('dialog').locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"items":[{"id":7},{"id":8}]}');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await panel(page).getByText('completed', { exact: true }).first().waitFor();
    await page.getByLabel('URL').click();
    await expect
      .poll(() => page.locator('#node-panel .preview__value').first().textContent())
      .toBe(`${origin}/item/8`);
    await expect.poll(() => page.locator('#node-panel .preview--error').count()).toBe(0);
  });

  test('a JSON body is previewed as the value that it becomes', async () => {
    const id = await create(
      [
        start,
        {
          id: 'send',
          type: 'http_request',
          position: { x: 320, y: 0 },
          config: {
            method: 'POST',
            url: `${origin}/send`,
            body: { email: '{{ input.email | downcase }}', count: '{{ input.count }}' },
          },
        },
      ],
      [{ from: 'start', to: 'send' }],
    );
    await run(id, { email: 'ADA@example.com', count: 2 });
    const page = await open(id);
    await select(page, 'send');
    const body = page.getByLabel(/^Body( \(optional\))?$/);
    await body.click();
    const preview = page.locator('.field', { has: body }).locator('output');
    await expect
      .poll(async () => JSON.parse((await preview.textContent()) ?? 'null') as unknown)
      .toEqual({ email: 'ada@example.com', count: 2 });
  });

  test('the message of a field goes as soon as the field is corrected', async () => {
    const id = await create(
      [start, { id: 'send', type: 'http_request', position: { x: 320, y: 0 }, config: {} }],
      [{ from: 'start', to: 'send' }],
    );
    const page = await open(id);
    await select(page, 'send');
    const message = page.locator('#node-panel .field__error');
    await message.first().waitFor();
    // Nothing is saved any more, so that only the edit can have taken the message away.
    await page.route('**/v1/workflows/**', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByLabel('URL').fill('https://example.com');
    await expect.poll(() => message.count()).toBe(0);
  });

  test('a row of the executions is a link over its whole width', async () => {
    const id = await create([start], [], 'Row links');
    const execution = await run(id);
    const page = await open(id);
    await page.goto(`${editor.origin}/executions?workflow=${id}`);
    const row = page.locator('.table tbody tr').first();
    await row.getByText('Row links').waitFor();
    const box = (await row.boundingBox())!;
    await page.mouse.click(box.x + box.width - 20, box.y + box.height / 2);
    await page.waitForURL(`${editor.origin}/executions/${execution}`);
  });

  test('the execution page retries from the failed node too, whichever node is selected', async () => {
    const execution = await run(await create(failing(), chain));
    const page = await open(await create([start], []));
    await page.goto(`${editor.origin}/executions/${execution}`);
    await node(page, 'after').click();
    await page.getByRole('heading', { name: 'after', level: 2 }).waitFor();
    await page.getByRole('button', { name: 'Retry…' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel('From', { exact: true }).inputValue()).toBe('failed');
    const request = page.waitForRequest((one) => one.url().endsWith('/retry'));
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    expect((await (await request).response())?.status()).toBe(201);
  });

  test('an empty list has one button to create', async () => {
    const page = await open(await create([start], []));
    for (const [where, title, button] of [
      ['api-keys', /keys yet$/, /key/i],
      ['oauth-clients', /clients yet$/, /client/i],
      ['secrets', /secrets yet$/, /secret/i],
      ['connections', /connections yet$/, /connection/i],
      ['custom-nodes', /nodes yet$/, /node/i],
      ['connectors', /connectors yet$/, /connector/i],
    ] as const) {
      await page.goto(`${editor.origin}/settings/${where}`);
      await page.getByRole('heading', { name: title }).waitFor();
      await expect
        .poll(() => page.getByRole('main').getByRole('button', { name: button }).count(), { message: where })
        .toBe(1);
    }
  });

  test('the logo of the login page lines up with the edge of the card', async () => {
    const { page, pageErrors: found } = await editor.browser.open();
    opened.push(page);
    pageErrors.push(found);
    await page.goto(`${editor.origin}/login`);
    const logo = (await page.locator('.brand svg').boundingBox())!;
    const card = (await page.locator('.login__card').boundingBox())!;
    expect(Math.abs(logo.x - card.x)).toBeLessThanOrEqual(1);
  });

  test('the charts of System show the time before the page was opened', async () => {
    const page = await open(await create([start], []));
    const subscribed = page.waitForResponse((response) =>
      (response.headers()['content-type'] ?? '').startsWith('text/event-stream'),
    );
    await page.reload();
    await subscribed;
    // One sampler serves all subscribers: the page receives every sample that this client receives.
    const client = createClient({ baseUrl: editor.origin });
    await client.auth.login({ email: adminEmail, password: adminPassword });
    let samples = 0;
    for await (const { systemHealth } of client.subscribe<{ systemHealth: object }>(
      'subscription { systemHealth { timestamp } }',
    ))
      if (systemHealth !== null && ++samples > 6) break;
    await openPage(page, '/settings/system');
    // The run history below has a table, too, once executions have ended.
    const charts = page.getByRole('region', { name: 'This process' });
    await charts.locator('details.more summary').click();
    // One row stands for every fifth sample: without a past there is one.
    const rows = charts.locator('.figures tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBeGreaterThan(1);
  });

  test('the list shows a status once: a switch, and a badge only for a draft', async () => {
    const draft = await create([start], [], 'Status of a draft');
    const active = await create([start], [], 'Status of an active one');
    await call('PUT', `/workflows/${active}`, { status: 'active' });
    const page = await open(draft);
    await page.goto(`${editor.origin}/workflows?search=Status`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Status of a draft').locator('.badge').waitFor();
    await row('Status of an active one').getByRole('switch', { checked: true }).waitFor();
    expect(await row('Status of an active one').locator('.badge').count()).toBe(0);
  });

  test('a toast does not cover the form of a node, and the canvas has no logo in its corner', async () => {
    const page = await open(
      await create(
        [start, { id: 'send', type: 'http_request', position: { x: 320, y: 0 }, config: {} }],
        [{ from: 'start', to: 'send' }],
      ),
    );
    await select(page, 'send');
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    const toast = page.locator('.toast').first();
    await toast.waitFor();
    const { x, width } = (await toast.boundingBox())!;
    expect(x + width).toBeLessThan((await page.locator('#node-panel').boundingBox())!.x);
    expect(await page.getByText('React Flow').count()).toBe(0);
  });

  test('no page reported an error', () => {
    expect(pageErrors.flat()).toEqual([]);
  });
});
