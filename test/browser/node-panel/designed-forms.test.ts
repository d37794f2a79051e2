import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAxe } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

const definition = {
  nodes: [
    { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
    {
      id: 'hook',
      type: 'trigger',
      position: { x: 320, y: 0 },
      config: { triggerType: 'webhook', endpoint: 'orders', authentication: 'none' },
    },
    { id: 'clock', type: 'trigger', position: { x: 640, y: 0 }, config: { triggerType: 'schedule' } },
    { id: 'check', type: 'data_validator', position: { x: 0, y: 200 }, config: { schema: {} } },
    { id: 'big', type: 'condition', position: { x: 320, y: 200 }, config: {} },
    {
      id: 'call',
      type: 'http_request',
      position: { x: 640, y: 200 },
      config: { url: 'https://example.com' },
    },
    {
      id: 'tell',
      type: 'slack',
      position: { x: 0, y: 400 },
      config: { operation: 'post_message' },
    },
    {
      id: 'ask',
      type: 'approval',
      position: { x: 320, y: 400 },
      config: { title: 'Expense', slack: { channel: '#a', credentials: '{{ secrets.SLACK }}' } },
    },
  ],
  connections: [
    { from: 'start', to: 'check' },
    { from: 'check', to: 'big' },
    { from: 'big', to: 'call', sourcePort: 'true' },
  ],
};

describe.skipIf(isChromiumMissing)('forms that show what matters', () => {
  let editor: TestEditor;
  let page: Page;
  let pageErrors: string[];
  let call: Api;
  let workflow: string;

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    workflow = (await call('POST', '/workflows', { name: 'Designed', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
  });
  afterAll(() => editor?.close());

  const shot = (name: string): Promise<void> => saveShot(page, name);
  const choose = (id: string): Promise<void> => selectNode(page, id);
  const panel = () => page.locator('#node-panel');
  const save = async (): Promise<void> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
  };
  const config = async (id: string): Promise<unknown> => {
    await save();
    const stored = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { id: string; config: unknown }[] };
    };
    return stored.definition.nodes.find((node) => node.id === id)!.config;
  };

  test('a webhook requires a secret only if callers authenticate', async () => {
    await choose('hook');
    expect(
      await panel()
        .getByLabel(/^Secret/)
        .count(),
    ).toBe(0);
    expect(await panel().getByText('Retry policy').count()).toBe(0);
    await shot('form-webhook');
    expect(await runAxe(page)).toEqual([]);
    await panel().getByLabel('Authentication').selectOption({ label: 'HMAC signature' });
    await panel()
      .getByLabel(/^Secret/)
      .waitFor();
    await panel()
      .getByLabel(/^Signature scheme/)
      .waitFor();
    await panel().getByLabel('Authentication').selectOption('none');
    expect(
      await panel()
        .getByLabel(/^Signature scheme/)
        .count(),
    ).toBe(0);
    await panel().getByRole('button', { name: 'Add option' }).click();
    await page.getByRole('menuitem', { name: 'Deduplication key' }).click();
    await panel()
      .getByLabel(/^Deduplication key/)
      .fill('{{ body.id }}');
    expect(await config('hook')).toEqual({
      triggerType: 'webhook',
      endpoint: 'orders',
      authentication: 'none',
      deduplicate: '{{ body.id }}',
    });
  });

  test('the settings of every node are in one section', async () => {
    await choose('call');
    expect(await panel().getByLabel('Notes').count()).toBe(0);
    await panel().getByRole('button', { name: 'General', exact: true }).click();
    await panel().getByLabel('Notes').waitFor();
    await panel().getByRole('button', { name: 'Retry policy' }).waitFor();
  });

  test('a schedule is chosen in words and shows its next runs', async () => {
    await choose('clock');
    await panel().getByLabel('Runs', { exact: true }).selectOption('weekdays');
    await panel().getByLabel('Time', { exact: true }).fill('09:30');
    await panel().getByLabel('Time zone').fill('Asia/Tokyo');
    await expect.poll(() => panel().getByRole('region', { name: 'Next runs' }).locator('li').count()).toBe(5);
    await expect
      .poll(() => panel().getByRole('region', { name: 'Next runs' }).locator('li').first().textContent())
      .toMatch(/9:30/);
    await shot('form-schedule');
    expect(await runAxe(page)).toEqual([]);
    expect(await config('clock')).toEqual({
      triggerType: 'schedule',
      cron: '30 9 * * 1-5',
      timezone: 'Asia/Tokyo',
    });
  });

  test('a wrong expression and a wrong zone are reported at their fields', async () => {
    await choose('clock');
    await panel().getByLabel('Runs', { exact: true }).selectOption('cron');
    const cron = panel().getByLabel('Cron expression');
    await cron.fill('0 25 * * *');
    await panel().getByLabel('Time zone').fill('Berlin');
    await save();
    await expect.poll(() => cron.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => panel().getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true');
    await panel().getByLabel('Time zone').fill('Europe/Berlin');
    await cron.fill('0 9 * * *');
    await expect.poll(() => panel().locator('.field__error').count()).toBe(0);
  });

  test('the field of a condition accepts a template of the input, and is reported once when it is missing', async () => {
    await choose('big');
    await save();
    await expect.poll(() => panel().getByText('is required').count()).toBe(1);
    const field = panel().getByLabel('Field', { exact: true });
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('{{ input.amount }}');
    await field.press('Tab');
    await panel().getByLabel('Operator').selectOption('greater_than');
    await expect.poll(() => field.inputValue()).toBe('amount');
    await panel().getByLabel('Value', { exact: true }).fill('100');
    expect(await config('big')).toEqual({
      condition: { field: 'amount', operator: 'greater_than', value: 100 },
    });
  });

  test('a Slack message requires an account, a channel and a text', async () => {
    await choose('tell');
    const labels = async (): Promise<string[]> =>
      (await panel().locator('.panel__body .field__label').allTextContents()).map((text) =>
        text.replace(' (optional)', ''),
      );
    await expect.poll(() => labels()).toEqual(['Credentials', 'Channel', 'Message']);
    await panel().getByLabel('Channel').fill('#orders');
    await panel().getByLabel('Message').fill('Sold');
    await panel().getByRole('button', { name: 'Add option' }).click();
    await page.getByRole('menuitem', { name: 'Reply to message' }).click();
    await panel().getByLabel('Reply to message').fill('1767225600.000100');
    await shot('form-slack');
    expect(await runAxe(page)).toEqual([]);
    expect(await config('tell')).toEqual({
      operation: 'post_message',
      channel: '#orders',
      text: 'Sold',
      thread_ts: '1767225600.000100',
    });
  });

  test('an approval asks in Slack with an account, a channel and a signing secret', async () => {
    await call('PUT', '/secrets/SLACK', { value: 'xoxb-1234-abcd' });
    await call('PUT', '/secrets/SIGNING', { value: '8f742231b10e8888abcd99yyyzzz85a5' });
    await page.reload();
    await page.locator('.react-flow__node').first().waitFor();
    await choose('ask');
    await panel().getByLabel('Channel').fill('#approvals');
    const secret = panel().getByLabel('Signing secret');
    await secret.click();
    await page.getByRole('menuitem', { name: 'SIGNING' }).click();
    await shot('form-approval-slack');
    expect(await runAxe(page)).toEqual([]);
    expect(await config('ask')).toEqual({
      title: 'Expense',
      slack: { channel: '#approvals', credentials: '{{ secrets.SLACK }}', signing_secret: 'SIGNING' },
    });
  });

  test('a cURL command fills in a request', async () => {
    await choose('call');
    await panel().getByRole('button', { name: 'Import cURL' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import cURL' });
    await dialog.getByLabel('cURL command').fill('wget x');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('The command must start with curl.').waitFor();
    await dialog
      .getByLabel('cURL command')
      .fill(`curl -u ada:s3 'https://api.example.com/orders?dry=1' -H 'X-Trace: 7' --json '{"id": 5}'`);
    await shot('form-curl');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.waitFor({ state: 'detached' });
    await shot('form-request');
    expect(await runAxe(page)).toEqual([]);
    expect(await config('call')).toEqual({
      method: 'POST',
      url: 'https://api.example.com/orders',
      query: { dry: '1' },
      authentication: { type: 'basic', username: 'ada', password: 's3' },
      headers: { Accept: 'application/json', 'X-Trace': '7' },
      body: { id: 5 },
      body_type: 'json',
    });
  });

  test('a validator is a table of fields', async () => {
    await choose('check');
    await panel().getByRole('button', { name: 'Add field' }).click();
    await panel().getByLabel('Name of field 1').fill('email');
    await panel().getByRole('button', { name: 'Add field' }).click();
    await panel().getByLabel('Type of field 2').selectOption('number');
    await panel().getByLabel('Field 2 is required').uncheck();
    await shot('form-validator');
    expect(await runAxe(page)).toEqual([]);
    expect(await config('check')).toEqual({
      schema: {
        type: 'object',
        properties: { email: { type: 'string' }, field2: { type: 'number' } },
        required: ['email'],
      },
    });
    expect(pageErrors).toEqual([]);
  });

  test('a validator is made from the last data', async () => {
    const { nodes, connections } = definition;
    const some = nodes.filter(({ id }) => id === 'start' || id === 'check');
    workflow = (
      await call('POST', '/workflows', {
        name: 'From data',
        definition: { nodes: some, connections: connections.slice(0, 1) },
      })
    )['id'] as string;
    await call('POST', `/workflows/${workflow}/execute`, {
      input: { email: 'ada@example.com', items: [] },
      wait: '30s',
    });
    await page.goto(`${editor.origin}/workflows/${workflow}`);
    await choose('check');
    await panel().getByRole('button', { name: 'Make from last data' }).click();
    expect(await config('check')).toEqual({
      schema: {
        type: 'object',
        properties: { email: { type: 'string' }, items: { type: 'array' } },
        required: ['email', 'items'],
      },
    });
  });

  test('a validator behind a webhook is made from the body, and its nested fields are edited', async () => {
    const { nodes, connections } = definition;
    const check = nodes.filter(({ id }) => id === 'check');
    const start = {
      id: 'start',
      type: 'trigger',
      config: { triggerType: 'webhook', endpoint: 'validated', method: 'POST', authentication: 'none' },
    };
    workflow = (
      await call('POST', '/workflows', {
        name: 'From a webhook',
        definition: { nodes: [start, ...check], connections: connections.slice(0, 1) },
        status: 'active',
      })
    )['id'] as string;
    const order = { email: 'ada@example.com', customer: { name: 'Ada' } };
    await call('POST', '/webhooks/validated', order);
    await page.goto(`${editor.origin}/workflows/${workflow}`);
    await choose('check');
    await panel().getByRole('button', { name: 'Make from last data' }).click();
    await panel().getByRole('button', { name: 'Add a field to customer' }).click();
    await panel().getByLabel('Name of field 1.2.2').fill('city');
    await panel().getByLabel('Field 1.2.2 is required').uncheck();
    await shot('form-validator-nested');
    expect(await runAxe(page)).toEqual([]);
    const text = { type: 'string' };
    const customer = { type: 'object', properties: { name: text, city: text }, required: ['name'] };
    const body = { type: 'object', properties: { email: text, customer }, required: ['email', 'customer'] };
    expect(await config('check')).toEqual({
      schema: { type: 'object', properties: { body }, required: ['body'] },
    });
  });
});
