import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
import { createMetrics } from './metrics.ts';
import { parseExposition, findValue } from '../../../test/support/metrics-text.ts';

function metrics(over: Partial<Parameters<typeof createMetrics>[0]> = {}) {
  const clock = new ManualClock();
  const reports: string[] = [];
  const made = createMetrics({
    version: '1.2.3',
    nodeTypes: ['condition', 'http_request'],
    clock,
    engine: () => ({
      active: 3,
      queued: 4,
      pendingWrites: 5,
      sweeps: 6,
      leasesLost: 2,
      snapshotsUsed: 7,
      replayedEvents: 8,
      isLeader: true,
    }),
    others: { isUp: () => true, depth: () => Promise.resolve({ waiting: 8, taken: 9, oldest: 1_500 }) },
    connections: () => ({ size: 10, open: 7, used: 3, waiting: 1 }),
    executions: {
      statusCounts: () =>
        Promise.resolve({ queued: 4, running: 3, waiting: 7, completed: 0, failed: 0, stopped: 0 }),
      nextTimer: () => Promise.resolve(clock.now() - 1_500),
    },
    report: (message) => reports.push(message),
    ...over,
  });
  return { made, clock, reports, read: async () => parseExposition(await made.text()) };
}

test('counts, histograms and levels come out as text that parses', async () => {
  const { made, read, reports } = metrics();
  made.executionStarted('webhook');
  made.executionEnded('completed', 12);
  made.executionEnded('stopped', null);
  made.recordNodeRun('condition', 'completed', 0);
  made.recordNodeRun('http_request', 'failed', 250);
  made.committed(7, 3);
  made.requestCompleted('GET', '/v1/workflows/:id', 200, 1.5);
  made.webhookResponded(200);
  made.called('2xx', 40);
  made.called('timeout', 5_000);
  made.refused('plan');
  const samples = await read();
  const of = (name: string, labels?: Record<string, string>) => findValue(samples, name, labels);
  expect(of('weft_info', { version: '1.2.3' })).toBe(1);
  expect(of('weft_executions_started_total', { trigger: 'webhook' })).toBe(1);
  expect(of('weft_executions_ended_total', { status: 'completed' })).toBe(1);
  expect(of('weft_executions_ended_total', { status: 'stopped' })).toBe(1);
  expect(of('weft_execution_duration_seconds_count', { status: 'stopped' })).toBeUndefined();
  expect(of('weft_execution_duration_seconds_sum', { status: 'completed' })).toBeCloseTo(0.012);
  expect(of('weft_node_run_duration_seconds_bucket', { type: 'condition', le: '0.001' })).toBe(1);
  expect(of('weft_node_run_duration_seconds_bucket', { type: 'http_request', le: '0.1' })).toBe(0);
  expect(of('weft_node_run_duration_seconds_bucket', { type: 'http_request', le: '+Inf' })).toBe(1);
  expect(of('weft_commit_checkpoints_sum')).toBe(7);
  expect(of('weft_commit_duration_seconds_count')).toBe(1);
  expect(of('weft_http_requests_total', { route: '/v1/workflows/:id', status: '200' })).toBe(1);
  expect(of('weft_http_request_duration_seconds_count', { route: '/v1/workflows/:id' })).toBe(1);
  expect(of('weft_webhook_responses_total', { status: '200' })).toBe(1);
  expect(of('weft_outgoing_call_duration_seconds_count', { outcome: 'timeout' })).toBe(1);
  expect(of('weft_rate_limited_requests_total', { reason: 'plan' })).toBe(1);
  expect(of('weft_executions_active')).toBe(3);
  expect(of('weft_executions_queued')).toBe(4);
  expect(of('weft_leader')).toBe(1);
  expect(of('weft_sweeps_total')).toBe(6);
  expect(of('weft_snapshots_used_total')).toBe(7);
  expect(of('weft_replayed_events_total')).toBe(8);
  expect(of('weft_lease_lost_total')).toBe(2);
  expect(of('weft_redis_up')).toBe(1);
  expect([of('weft_queue_waiting'), of('weft_queue_active'), of('weft_queue_oldest_seconds')]).toEqual([
    8, 9, 1.5,
  ]);
  expect(of('weft_database_connections')).toBe(10);
  expect(of('weft_database_connections_open')).toBe(7);
  expect(of('weft_database_connections_used')).toBe(3);
  expect(of('weft_database_connections_waiting')).toBe(1);
  expect(of('weft_pending_checkpoints')).toBe(5);
  expect(of('weft_executions_waiting')).toBe(7);
  expect(of('weft_timer_lateness_seconds')).toBe(1.5);
  expect(of('weft_connections', { transport: 'websocket' })).toBe(0);
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
    'process_cpu_seconds_total',
  ])
    expect([name, of(name)]).toEqual([name, expect.any(Number)]);
  expect(reports).toEqual([]);
});

test('whatever callers and workflows name, the number of rows is bounded', async () => {
  const { made, read, clock } = metrics();
  await read();
  clock.advance(1_000);
  const before = (await read()).length;
  for (let i = 0; i < 2_000; i++) {
    made.recordNodeRun(`users_own_${i}`, 'completed', i);
    made.requestCompleted(`METHOD${i}`, null, 100 + (i % 500), 1);
    made.webhookResponded(100 + (i % 500));
    made.refused(`reason ${i}`);
  }
  clock.advance(1_000);
  const samples = await read();
  const labels = (name: string, label: string) =>
    new Set(samples.filter((one) => one.name === name).map((one) => one.labels[label]));
  expect(labels('weft_node_run_duration_seconds_count', 'type')).toEqual(new Set(['custom']));
  expect(labels('weft_http_request_duration_seconds_count', 'method')).toEqual(new Set(['other']));
  expect(labels('weft_http_request_duration_seconds_count', 'route')).toEqual(new Set(['none']));
  expect(labels('weft_http_request_duration_seconds_count', 'status')).toEqual(new Set([undefined]));
  expect(labels('weft_http_requests_total', 'status').size).toBe(18 + 5);
  expect(labels('weft_webhook_responses_total', 'status').size).toBe(18 + 5);
  expect(labels('weft_rate_limited_requests_total', 'reason')).toEqual(new Set(['other']));
  expect(samples.length - before).toBeLessThan(120);
});

test('a connection is closed once', async () => {
  const { made, read, clock } = metrics();
  const first = made.connectionOpened('websocket');
  made.connectionOpened('websocket');
  first();
  first();
  expect(findValue(await read(), 'weft_connections', { transport: 'websocket' })).toBe(1);
  clock.advance(1_000);
});

test('frequent requests read once a second; a failed read does not affect other metrics', async () => {
  let reads = 0;
  const { read, clock, reports } = metrics({
    executions: {
      statusCounts: () => Promise.reject(new Error(`${reads++}`)),
      nextTimer: () => Promise.resolve(null),
    },
  });
  const all = await Promise.all(Array.from({ length: 20 }, read));
  expect(reads).toBe(1);
  clock.advance(1_000);
  await read();
  expect(reads).toBe(2);
  expect(reports).toEqual(Array(2).fill('weft_executions_waiting could not be read'));
  expect(findValue(all[0]!, 'weft_timer_lateness_seconds')).toBe(0);
  expect(findValue(all[0]!, 'weft_executions_active')).toBe(3);
});

test('a clock that was set back makes no duration that breaks', async () => {
  const { made, read } = metrics();
  made.executionEnded('completed', -5);
  expect(findValue(await read(), 'weft_execution_duration_seconds_sum', { status: 'completed' })).toBe(0);
});
