import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Provider } from '../connections/provider.ts';
import { useWeftCommand } from './weft-command.ts';

const one = useWeftCommand();
const provider = new Provider();
beforeAll(() => provider.open());
afterAll(() => provider.close());

describe('connections', () => {
  test('are made, listed, shown, allowed, tried, renewed and deleted', async () => {
    const made = await one.weft(
      [
        'connections',
        'create',
        'SHOP',
        '--authorization-url',
        provider.settings.authorization_url,
        '--token-url',
        provider.settings.token_url,
        '--client-id',
        'weft-app',
        '--scope',
        'orders',
        'stock',
        '--description',
        'The shop',
      ],
      { input: 'canary-client-secret\n' },
    );
    expect(made.code, made.stderr).toBe(0);
    const address = made.stdout.trim().split('\n').at(-1) ?? '';
    expect(new URL(address).searchParams.get('scope')).toBe('orders stock');
    expect(made.stdout + made.stderr).not.toContain('canary');

    const pending = await one.weft(['connections', 'test', 'SHOP']);
    expect([pending.code, pending.stdout]).toEqual([1, expect.stringContaining('It does not work')]);
    const { connect_url } = await one.json<{ connect_url: string }>(['connections', 'authorize', 'SHOP']);
    expect((await fetch(connect_url)).status).toBe(200);

    expect((await one.weft(['connections', 'list'])).stdout).toMatch(/^NAME +STATUS.*\nSHOP +connected/);
    expect((await one.weft(['connections', 'get', 'SHOP'])).stdout).toMatch(/status +connected/);
    expect((await one.weft(['connections', 'test', 'SHOP'])).stdout).toContain('It works');
    expect((await one.weft(['connections', 'refresh', 'SHOP'])).stdout).toContain('new token');
    expect((await one.weft(['connections', 'delete', 'SHOP', '--yes', '--force'])).code).toBe(0);
    expect((await one.weft(['connections', 'get', 'SHOP'])).code).not.toBe(0);
  });

  test('an API key is made, shown without it, replaced and tried; providers are listed', async () => {
    const { host } = new URL(provider.url);
    const made = await one.weft(
      [
        'connections',
        'create',
        'KEY',
        '--header',
        'X-Key',
        '--prefix',
        'Token ',
        '--host',
        host,
        '--test-url',
        `${provider.url}/open`,
        '--test-status',
        '401',
      ],
      { input: 'canary-key-1\n' },
    );
    expect([made.code, made.stdout], made.stderr).toEqual([0, 'The connection KEY was created.\n']);
    const shown = await one.weft(['connections', 'get', 'KEY']);
    expect(shown.stdout).toMatch(/fields +value/);
    expect(shown.stdout).not.toContain('canary');
    expect((await one.weft(['connections', 'test', 'KEY'])).stdout).toContain('It works');
    expect(provider.apiCalls.at(-1)).toMatchObject({ key: 'Token canary-key-1' });
    const changed = await one.weft(['connections', 'update', 'KEY', '--fields'], { input: 'canary-key-2\n' });
    expect([changed.code, changed.stdout], changed.stderr).toEqual([0, 'The connection KEY was changed.\n']);
    await one.weft(['connections', 'test', 'KEY']);
    expect(provider.apiCalls.at(-1)).toMatchObject({ key: 'Token canary-key-2' });
    expect((await one.weft(['connections', 'update', 'KEY'])).code).toBe(2);
    const several = await one.weft(
      ['connections', 'create', 'SEVERAL', '--place', 'app=header:X-App', 'key=query:k', '--host', host],
      { input: JSON.stringify({ app: 'canary-app', key: 'canary-key' }) },
    );
    expect(several.code, several.stderr).toBe(0);
    const both = await one.weft(['connections', 'create', 'BOTH', '--bearer', '--basic']);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('Only one of --bearer and --basic'),
    ]);
    const mixed = [
      'connections',
      'create',
      'MIXED',
      '--bearer',
      '--client-id',
      'app',
      '--provider',
      'github',
    ];
    expect((await one.weft([...mixed, '--host', host], { input: 'canary-token' })).stderr).toMatch(
      /provider: must not be set for fields[^]*client_id: must not be set for fields/,
    );
    expect((await one.weft(['connections', 'providers', '--search', 'shopify'])).stdout).toMatch(
      /shopify +Shopify/,
    );
    expect((await one.weft(['connections', 'provider', 'shopify'])).stdout).toContain('field shop');
  });

  test('the app itself; a secret that is missing; a provider that is not known', async () => {
    const app = ['connections', 'create', 'APP', '--client-id', 'weft-app'];
    const empty = await one.weft([
      ...app,
      '--client-credentials',
      '--token-url',
      provider.settings.token_url,
    ]);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('--public-client')]);
    const unknown = await one.weft([...app, '--provider', 'nobody', '--public-client']);
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('provider')]);
    const made = await one.weft(
      [...app, '--client-credentials', '--token-url', provider.settings.token_url],
      { input: 'canary-client-secret' },
    );
    expect([made.code, made.stdout]).toEqual([0, 'The connection APP was created.\n']);
  });
});
