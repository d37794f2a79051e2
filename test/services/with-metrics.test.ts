import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture, owner } from '../support/engine-fixture.ts';
import { noMetrics, type Metrics } from '../../src/ports/metrics.ts';
import { withExecutionMetrics } from '../../src/services/observability/with-metrics.ts';

let fixture: EngineFixture;
let message: unknown[][];
let metrics: Metrics;
beforeEach(async () => {
  message = [];
  metrics = {
    ...noMetrics,
    executionStarted: (trigger) => message.push(['started', trigger]),
    executionEnded: (status, ms) => message.push(['ended', status, ms]),
    recordNodeRun: (type, status) => message.push(['ran', type, status]),
    committed: (checkpoints, ms) => {
      expect(checkpoints).toBeGreaterThan(0);
      expect(ms).toBeGreaterThan(0);
    },
  };
  fixture = await new EngineFixture().open();
  fixture.store = { ...fixture.store, executions: withExecutionMetrics(fixture.store.executions, metrics) };
  await fixture.openEngine();
});
afterEach(() => fixture.close());

const counted = (what: string) => message.filter(([kind]) => kind === what);

test('starts and ends are counted once each, when they are on disk', async () => {
  const id = await fixture.save([{ id: 'p', type: 'probe', config: {} }], ['start > p']);
  const { id: first } = await fixture.start(id);
  await fixture.until('its end', async () => (await fixture.status(first)) === 'completed');
  fixture.probes.set('p', () => ({ kind: 'failed', error: { type: 'network', message: 'x' } }));
  const { id: second } = await fixture.start(id);
  await fixture.until('its end', async () => (await fixture.status(second)) === 'failed');
  fixture.probes.set('p', () => new Promise(() => {}));
  const { id: third } = await fixture.start(id);
  await fixture.until('its start', () => fixture.calls.length === 3);
  await fixture.engine.stop(owner, third);
  await fixture.engine.stop(owner, third);
  expect(counted('started')).toEqual(Array(3).fill(['started', 'manual']));
  expect(counted('ended')).toEqual([
    ['ended', 'completed', expect.any(Number)],
    ['ended', 'failed', expect.any(Number)],
    ['ended', 'stopped', expect.any(Number)],
  ]);
});

test('a failed write is not counted', async () => {
  const id = await fixture.save([], []);
  const { executions } = fixture.store;
  const dedupe = {
    scope: `execute:${id}`,
    key: 'k',
    fingerprint: '',
    expiresAt: fixture.clock.now() + 9_999_999,
  };
  const first = await fixture.engine.start(fixture.request(id, {}, { dedupe }));
  const again = await fixture.engine.start(fixture.request(id, {}, { dedupe }));
  expect([first.kind, again.kind]).toEqual(['accepted', 'duplicate']);
  await fixture.until('its end', async () => (await executions.statusCounts()).completed === 1);
  expect(counted('started')).toHaveLength(1);
  expect(counted('ended')).toHaveLength(1);
});
