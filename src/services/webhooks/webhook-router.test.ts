import { describe, expect, test } from 'vitest';
import { WebhookRouter } from './webhook-router.ts';
import { readThreadTime } from '../../../test/support/time/thread-time.ts';

function createRouter(...endpoints: string[]): WebhookRouter<string> {
  const router = new WebhookRouter<string>();
  for (const endpoint of endpoints) router.add('POST', endpoint, endpoint);
  return router;
}

describe('webhook routes', () => {
  test('a fixed path goes before parameters, wherever they stand', () => {
    const router = createRouter('orders/:id', 'orders/new', ':kind/new', 'orders/:id/items/:item');
    expect(router.find('POST', 'orders/new')).toEqual({ value: 'orders/new', params: {} });
    expect(router.find('POST', 'orders/17')).toEqual({ value: 'orders/:id', params: { id: '17' } });
    expect(router.find('POST', 'users/new')).toEqual({ value: ':kind/new', params: { kind: 'users' } });
    expect(router.find('POST', 'orders/1/items/2')?.params).toEqual({ id: '1', item: '2' });
  });

  test('a dead end in a fixed branch does not hide the parameter beside it', () => {
    const router = createRouter('a/b/c', ':x/b/d');
    expect(router.find('POST', 'a/b/d')).toEqual({ value: ':x/b/d', params: { x: 'a' } });
    expect(router.find('POST', 'a/b/e')).toBeNull();
  });

  test('methods are distinguished, and unknown paths match nothing', () => {
    const router = createRouter('orders/:id');
    expect(router.find('GET', 'orders/1')).toBeNull();
    for (const path of ['', 'orders', 'orders/', 'orders/1/2', '/orders/1'])
      expect(router.find('POST', path)).toBeNull();
  });

  test('parameters are decoded; a broken encoding is no address', () => {
    const router = createRouter('orders/:id');
    expect(router.find('POST', 'orders/a%20b%2Fc')?.params).toEqual({ id: 'a b/c' });
    expect(router.find('POST', 'orders/%E0%A4%A')).toBeNull();
  });

  test('removing one route keeps the others', () => {
    const router = createRouter('a/:x', 'a/:x/b', 'a/c', 'd');
    router.remove('POST', 'a/:x', 'a/:x');
    router.remove('POST', 'd', 'd');
    router.remove('POST', 'never/:was', 'never/:was');
    expect(router.find('POST', 'a/1')).toBeNull();
    expect(router.find('POST', 'd')).toBeNull();
    expect(router.find('POST', 'a/1/b')?.value).toBe('a/:x/b');
    expect(router.find('POST', 'a/c')?.value).toBe('a/c');
    router.remove('POST', 'a/:x/b', 'a/:x/b');
    expect(router.find('POST', 'a/1/b')).toBeNull();
  });

  test('many routes that share parameters are searched without a blow-up', () => {
    const router = new WebhookRouter<number>();
    const depth = 18;
    for (let i = 0; i < depth; i++) {
      router.add(
        'POST',
        Array.from({ length: depth }, (_, at) => (at === i ? 'a' : `:p${at}`)).join('/') + '/end',
        i,
      );
    }
    const start = readThreadTime();
    expect(router.find('POST', `${Array(depth).fill('a').join('/')}/none`)).toBeNull();
    expect(readThreadTime() - start).toBeLessThan(500);
  });
});
