import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Provider } from '../connections/provider.ts';
import { listFindingsInBothThemes } from './support/axe.ts';
import { createSignedInApi, type Api } from './support/caller.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { signIn } from './support/sign-in.ts';

type Config = Record<string, unknown>;

describe.skipIf(isChromiumMissing)('credentials in the node panel', () => {
  let editor: TestEditor;
  let provider: Provider;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    provider = await new Provider().open();
    const { host } = new URL(provider.url);
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: host });
    call = await createSignedInApi(editor.origin);
    const at = (x: number, y = 0) => ({ position: { x, y } });
    const definition = {
      nodes: [
        { id: 'hook', type: 'trigger', ...at(0), config: { triggerType: 'webhook', endpoint: 'sales' } },
        { id: 'call', type: 'http_request', ...at(320), config: { url: `${provider.url}/orders` } },
        { id: 'stock', type: 'http_request', ...at(640), config: { url: `${provider.url}/stock` } },
        { id: 'tell', type: 'slack', ...at(0, 160), config: { operation: 'post_message', text: 'Sold' } },
        {
          id: 'sign',
          type: 'crypto',
          ...at(320, 160),
          config: { operation: 'hmac', value: 'x', key: 'plain' },
        },
      ],
      connections: [
        { from: 'hook', to: 'call' },
        { from: 'call', to: 'tell' },
        { from: 'tell', to: 'sign' },
      ],
    };
    workflow = (await call('POST', '/workflows', { name: 'Accounts', definition }))['id'] as string;
    await call('PUT', '/secrets/CRM_TOKEN', { value: 'crm-4f9a8b7c6d5e', hosts: ['api.crm.example'] });
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
  });
  afterAll(async () => {
    await editor?.close();
    await provider?.close();
  });

  const panel = () => page.locator('#node-panel');
  const config = async (id: string): Promise<Config> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const stored = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { id: string; config: Config }[] };
    };
    return stored.definition.nodes.find((node) => node.id === id)!.config;
  };
  /** The number of clicks in the page, counted by the page itself. */
  const countClicks = async (): Promise<() => Promise<number>> => {
    await page.evaluate(() => {
      const counter = window as unknown as { clicks?: number };
      if (counter.clicks === undefined)
        addEventListener('pointerdown', () => (counter.clicks = (counter.clicks ?? 0) + 1), {
          capture: true,
        });
      counter.clicks = 0;
    });
    return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks);
  };

  test('an account is connected from the panel of a request in five clicks, with the canvas unsaved', async () => {
    await selectNode(page, 'call');
    const clicks = await countClicks();
    await panel().getByRole('button', { name: 'Authentication' }).click();
    await page.getByRole('menuitem', { name: 'OAuth 2.0' }).click();
    await panel().getByLabel('Connection', { exact: false }).first().click();
    await page.getByRole('menuitem', { name: 'Connect an account…' }).click();
    const form = page.getByRole('dialog', { name: 'Connect an account' });
    await expect
      .poll(() => form.locator('.reveal__value').textContent())
      .toBe(`${editor.origin}/v1/connections/callback`);
    await form.getByRole('button', { name: 'Copy redirect URI' }).waitFor();
    // The host of the request presets the form.
    await expect.poll(() => form.getByLabel('Service').inputValue()).toBe('Other (OAuth 2.0)');
    await expect.poll(() => form.getByLabel('Allowed hosts').inputValue()).toBe(new URL(provider.url).host);
    await saveShot(page, 'credentials-connect');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const { authorization_url, token_url, client_id, client_secret } = provider.settings;
    await form.getByLabel('Name').fill('shop_account');
    await form.getByLabel('Authorization URL').fill(authorization_url);
    await form.getByLabel('Token URL').fill(token_url);
    await form.getByLabel('Client ID').fill(client_id);
    await form.getByLabel('Client secret').fill(client_secret);
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      form.getByRole('button', { name: 'Connect', exact: true }).click(),
    ]);
    await popup.getByText('Workflows can now use the connection shop_account').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await clicks()).toBeLessThanOrEqual(5);
    await panel().getByText('shop_account', { exact: true }).waitFor();
    await panel().getByRole('button', { name: 'Test', exact: true }).click();
    await panel().getByText('Works: There is a token.').waitFor();
    await saveShot(page, 'credentials-connected');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect((await config('call'))['authentication']).toEqual({
      type: 'oauth2',
      credential: 'shop_account',
    });
    await popup.close();
  });

  test('an API key is stored from the panel in five clicks, and used by a run', async () => {
    provider.accepts = (request) => request.headers['x-shop-key'] === 'canary-shop-key';
    await selectNode(page, 'stock');
    const clicks = await countClicks();
    await panel().getByRole('button', { name: 'Authentication' }).click();
    await page.getByRole('menuitem', { name: 'Connection', exact: true }).click();
    await panel().getByLabel('Connection', { exact: false }).first().click();
    await page.getByRole('menuitem', { name: 'Add an API key…' }).click();
    const form = page.getByRole('dialog', { name: 'Add an API key' });
    await expect.poll(() => form.getByLabel('Allowed hosts').inputValue()).toBe(new URL(provider.url).host);
    await form.getByLabel('Name', { exact: true }).fill('shop_key');
    await form.getByLabel('Header', { exact: true }).fill('X-Shop-Key');
    await form.getByLabel('API key', { exact: true }).fill('canary-shop-key');
    await form.getByLabel('Test URL').fill(`${provider.url}/me`);
    await saveShot(page, 'credentials-api-key');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    expect(await clicks()).toBeLessThanOrEqual(5);
    await panel().getByText('shop_key', { exact: true }).waitFor();
    await panel().getByRole('button', { name: 'Test', exact: true }).click();
    await panel().getByText('responded with 200', { exact: false }).waitFor();
    expect((await config('stock'))['authentication']).toEqual({ type: 'connection', connection: 'shop_key' });
    const { id } = await call('POST', '/workflows', {
      name: 'Stock',
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          { id: 'stock', type: 'http_request', config: await config('stock') },
        ],
        connections: [{ from: 'start', to: 'stock' }],
      },
    });
    const ended = await call('POST', `/workflows/${String(id)}/execute`, { wait: '30s' });
    expect(ended).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(ended)).not.toContain('canary');
    expect(provider.apiCalls.at(-1)).toMatchObject({ path: '/stock', status: 200 });
    provider.accepts = null;
  });

  test('a provider is found by its name, and requires the variable part of its URLs', async () => {
    await selectNode(page, 'call');
    await panel().getByText('shop_account', { exact: true }).click();
    await page.getByRole('menuitem', { name: 'Connect an account…' }).click();
    const form = page.getByRole('dialog', { name: 'Connect an account' });
    await form.getByLabel('Service').fill('nothing');
    await form.getByText('Choose a service from the list.').waitFor();
    await form.getByLabel('Service').fill('shopify');
    await expect.poll(() => form.getByLabel('Name', { exact: true }).inputValue()).toBe('shopify');
    await form.getByLabel('Client ID').fill('app');
    await saveShot(page, 'credentials-catalog');
    await form.getByRole('button', { name: 'Connect', exact: true }).click();
    await form.getByText('is required, such as acme').waitFor();
    await form.getByLabel('Shop').fill('acme');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await page
      .context()
      .route('https://acme.myshopify.com/**', (route) => route.fulfill({ body: 'Shopify' }));
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      form.getByRole('button', { name: 'Connect', exact: true }).click(),
    ]);
    await popup.waitForURL('https://acme.myshopify.com/admin/oauth/authorize**');
    await popup.close();
    const waiting = page.getByRole('dialog', { name: 'Sign in to Shopify' });
    await waiting.getByRole('button', { name: 'Later' }).click();
    expect(await call('GET', '/connections/shopify')).toMatchObject({
      provider: 'shopify',
      provider_fields: { shop: 'acme' },
      token_url: 'https://acme.myshopify.com/admin/oauth/access_token',
    });
  });

  test('a refused sign-in is reported and can be repeated', async () => {
    await selectNode(page, 'tell');
    await panel().getByLabel('Credentials').click();
    await page.getByRole('menuitem', { name: /^shop_account/ }).waitFor();
    await page.getByRole('menuitem', { name: 'Connect an account…' }).click();
    const form = page.getByRole('dialog', { name: 'Connect an account' });
    await expect.poll(() => form.getByLabel('Service').inputValue()).toBe('Slack');
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('slack');
    await form.getByLabel('Service').fill('Other (OAuth 2.0)');
    await form.getByLabel('Name').fill('team_chat');
    const { authorization_url, token_url, client_id } = provider.settings;
    await form.getByLabel('Authorization URL').fill(authorization_url);
    await form.getByLabel('Token URL').fill(token_url);
    await form.getByLabel('Client ID').fill(client_id);
    await form.getByLabel('Client secret').fill('not-the-secret');
    const [popup] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Enter')]);
    await popup.getByText('Not connected').first().waitFor();
    const waiting = page.getByRole('dialog', { name: /^Sign in to/ });
    await waiting.getByText('invalid_client').waitFor();
    await saveShot(page, 'credentials-refused');
    await call('PUT', '/connections/team_chat', { client_secret: provider.settings.client_secret });
    const [again] = await Promise.all([
      page.context().waitForEvent('page'),
      waiting.getByRole('button', { name: 'Open again' }).click(),
    ]);
    await again.getByText('Workflows can now use the connection team_chat').waitFor();
    await waiting.waitFor({ state: 'detached' });
    await panel().getByText('Can be sent to', { exact: false }).waitFor();
    expect(await config('tell')).toEqual({
      operation: 'post_message',
      text: 'Sold',
      connection: 'team_chat',
    });
    await popup.close();
    await again.close();
  });

  test('a secret is created with the keyboard and chosen at once', async () => {
    await selectNode(page, 'hook');
    await panel().getByLabel('Authentication').selectOption('bearer');
    await panel().getByLabel('Secret').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'CRM_TOKEN api.crm.example' }).waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.menu__item[data-highlighted]').textContent()).toBe('New secret…');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'New secret' });
    await form.getByLabel('Name').fill('HOOK_TOKEN');
    await form.getByLabel('Value').fill('a-long-enough-token');
    await page.keyboard.press('Enter');
    await form.waitFor({ state: 'detached' });
    await panel().getByText('HOOK_TOKEN', { exact: true }).waitFor();
    await panel().getByText('Can be sent to any host').waitFor();
    expect((await config('hook'))['secret']).toBe('HOOK_TOKEN');
  });

  test('a literal key can be replaced by a secret; a missing secret is reported', async () => {
    await selectNode(page, 'sign');
    await expect.poll(() => panel().getByLabel('Key').inputValue()).toBe('plain');
    await panel().getByLabel('Key').fill('{{ secrets.SIGNING }}');
    await panel().getByRole('button', { name: 'Choose a secret' }).click();
    await panel().getByText('There is no secret SIGNING.').waitFor();
    await saveShot(page, 'credentials-missing');
    await panel().getByRole('button', { name: 'Create it' }).click();
    const form = page.getByRole('dialog', { name: 'New secret' });
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('SIGNING');
    await form.getByLabel('Value').fill('a-signing-key');
    await form.getByRole('button', { name: 'Create' }).click();
    await panel().getByText('Can be sent to any host').waitFor();
    expect((await config('sign'))['key']).toBe('{{ secrets.SIGNING }}');
    await panel().getByLabel('Key').click();
    await page.getByRole('menuitem', { name: 'CRM_TOKEN' }).click();
    await panel().getByText('Can be sent to api.crm.example').waitFor();
    expect((await config('sign'))['key']).toBe('{{ secrets.CRM_TOKEN }}');
    expect(pageErrors).toEqual([]);
  });
});
