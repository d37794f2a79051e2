import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture, owner } from '../support/engine-fixture.ts';
import { noMetrics, type Metrics } from '../../src/ports/metrics.ts';
import { withExecutionMetrics } from '../../src/services/observability/with-metrics.ts';

let house: EngineFixture;
let told: unknown[][];
let metrics: Metrics;
beforeEach(async () => {
  told = [];
  metrics = {
    ...noMetrics,
    executionStarted: (trigger) => told.push(['started', trigger]),
    executionEnded: (status, ms) => told.push(['ended', status, ms]),
    nodeRan: (type, status) => told.push(['ran', type, status]),
    committed: (checkpoints, ms) => {
      expect(checkpoints).toBeGreaterThan(0);
      expect(ms).toBeGreaterThan(0);
    },
  };
  house = await new EngineFixture().open();
  house.store = { ...house.store, executions: withExecutionMetrics(house.store.executions, metrics) };
  await house.openEngine();
});
afterEach(() => house.close());

const counted = (what: string) => told.filter(([kind]) => kind === what);

test('starts and ends are counted once each, when they are on disk', async () => {
  const id = await house.save([{ id: 'p', type: 'probe', config: {} }], ['start > p']);
  const { id: first } = await house.start(id);
  await house.until('its end', async () => (await house.status(first)) === 'completed');
  house.probes.set('p', () => ({ kind: 'failed', error: { type: 'network', message: 'x' } }));
  const { id: second } = await house.start(id);
  await house.until('its end', async () => (await house.status(second)) === 'failed');
  house.probes.set('p', () => new Promise(() => {}));
  const { id: third } = await house.start(id);
  await house.until('its start', () => house.calls.length === 3);
  await house.engine.stop(owner, third);
  await house.engine.stop(owner, third);
  expect(counted('started')).toEqual(Array(3).fill(['started', 'manual']));
  expect(counted('ended')).toEqual([
    ['ended', 'completed', expect.any(Number)],
    ['ended', 'failed', expect.any(Number)],
    ['ended', 'stopped', expect.any(Number)],
  ]);
});

test('what was not written is not told', async () => {
  const id = await house.save([], []);
  const { executions } = house.store;
  const dedupe = {
    scope: `execute:${id}`,
    key: 'k',
    fingerprint: '',
    expiresAt: house.clock.now() + 9_999_999,
  };
  const first = await house.engine.start(house.request(id, {}, { dedupe }));
  const again = await house.engine.start(house.request(id, {}, { dedupe }));
  expect([first.kind, again.kind]).toEqual(['accepted', 'duplicate']);
  await house.until('its end', async () => (await executions.statusCounts()).completed === 1);
  expect(counted('started')).toHaveLength(1);
  expect(counted('ended')).toHaveLength(1);
});
