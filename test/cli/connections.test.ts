import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Provider } from '../connections/provider.ts';
import { weftCommand } from './weft-command.ts';

const one = weftCommand();
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
