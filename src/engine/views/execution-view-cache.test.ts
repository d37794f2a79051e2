import { expect, test } from 'vitest';
import type { ExecutionView } from '../engine-api.ts';
import { ExecutionViewCache } from './execution-view-cache.ts';

const view = (size: number): ExecutionView => ({
  input: 'x'.repeat(size),
  output: null,
  nodes: [],
  logs: [],
  usage: [],
  completed: {},
  failedNodeIds: [],
  response: null,
  leftOut: new Set<string>(),
});

test('keeps the most recently used views, and no large ones', () => {
  const cache = new ExecutionViewCache();
  cache.keep('large', view(2_000_001));
  expect(cache.get('large')).toBe(undefined);
  cache.keep('first', view(1_900_000));
  for (let i = 0; i < 12; i++) {
    cache.keep(`ex_${i}`, view(1_900_000));
    expect(cache.get('first')).toBeDefined();
  }
  const kept = Array.from({ length: 12 }, (_, i) => cache.get(`ex_${i}`) !== undefined);
  expect(kept).toEqual(kept.map((_, i) => i >= 5));
});
