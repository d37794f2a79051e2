import { expect, test } from 'vitest';
import type { ExecutionView, NodeRunView } from '../engine-api.ts';
import { ExecutionViewCache } from './execution-view-cache.ts';

const nodeRun: NodeRunView = {
  nodeId: 'start',
  path: 'start',
  type: 'trigger',
  status: 'completed',
  attempt: 1,
  startTime: 0,
  endTime: 0,
  input: null,
  output: null,
  outputPorts: [],
  error: null,
};

const createView = (nodeRuns: number): ExecutionView => ({
  input: null,
  output: null,
  nodes: Array.from({ length: nodeRuns }, () => nodeRun),
  logs: [],
  usage: [],
  completed: {},
  loaded: {},
  response: null,
  leftOut: new Set<string>(),
});

test('keeps the most recently used views, and no large ones', () => {
  const cache = new ExecutionViewCache();
  cache.keep('large', createView(0), 12_000_001);
  expect(cache.get('large')).toBe(undefined);
  cache.keep('first', createView(0), 1_900_000);
  for (let i = 0; i < 12; i++) {
    cache.keep(`ex_${i}`, createView(0), 1_900_000);
    expect(cache.get('first')).toBeDefined();
  }
  const kept = Array.from({ length: 12 }, (_, i) => cache.get(`ex_${i}`) !== undefined);
  expect(kept).toEqual(kept.map((_, i) => i >= 5));
});

test('keeps a view of 10,000 node runs, and counts node runs without values', () => {
  const cache = new ExecutionViewCache();
  cache.keep('long', createView(10_000), 5_000_000);
  expect(cache.get('long')).toBeDefined();
  cache.keep('longer', createView(24_001), 0);
  expect(cache.get('longer')).toBe(undefined);
});
