import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { EngineHealth } from '../../engine/engine-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { streamingApis, type Metrics } from '../../ports/metrics.ts';
import type { QueueDepth } from '../../ports/queue.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

/** In seconds: from a pure node to an execution that waits for people. */
const SHORT_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LONG_BUCKETS_S = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 60, 300, 1_800, 3_600, 21_600, 86_400];
const COUNT_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500];
/**
 * Statuses with a label value of their own; the others are grouped by hundred, because a `respond` node may
 * send any.
 */
const STATUSES = new Set([
  101, 200, 201, 204, 301, 302, 303, 304, 400, 401, 403, 404, 405, 406, 415, 429, 500, 503,
]);
const REASONS = new Set(['plan', 'workflow', 'capacity']);
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** How long the text is cached, ms, so that scrapes cause no load. */
const TEXT_LIFETIME_MS = 1_000;

export type MetricsDeps = {
  version: string;
  /** The built-in node types. */
  nodeTypes: readonly string[];
  clock: Pick<Clock, 'now'>;
  engine(): EngineHealth;
  /** Present in a cluster. */
  others: { isUp(): boolean; depth(): Promise<QueueDepth | null> } | null;
  /** Database connections, if the database has a pool. */
  connections: (() => { size: number; open: number; used: number; waiting: number }) | null;
  executions: Pick<ExecutionStore, 'statusCounts' | 'nextTimer'>;
  report(message: string, error: unknown): void;
};

export type MeasuredMetrics = Metrics & {
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** All metrics of the service with their labels. A label has only values from here or from a closed list. */
export function createMetrics(deps: MetricsDeps): MeasuredMetrics {
  const registry = new Registry();
  const registers = [registry];
  const nodeTypes = new Set(deps.nodeTypes);
  collectDefaultMetrics({ register: registry });

  new Gauge({
    name: 'weft_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: deps.version }, 1);

  const started = new Counter({
    name: 'weft_executions_started_total',
    help: 'Executions that were created, by what started them.',
    labelNames: ['trigger'],
    registers,
  });
  const ended = new Counter({
    name: 'weft_executions_ended_total',
    help: 'Executions that settled.',
    labelNames: ['status'],
    registers,
  });
  const executionSeconds = new Histogram({
    name: 'weft_execution_duration_seconds',
    help: 'From the first node of an execution to its end.',
    labelNames: ['status'],
    buckets: LONG_BUCKETS_S,
    registers,
  });
  const nodeSeconds = new Histogram({
    name: 'weft_node_run_duration_seconds',
    help: 'Attempts of nodes in this process.',
    labelNames: ['type', 'status'],
    buckets: SHORT_BUCKETS_S,
    registers,
  });
  const commitSize = new Histogram({
    name: 'weft_commit_checkpoints',
    help: 'Checkpoints that shared a transaction.',
    buckets: COUNT_BUCKETS,
    registers,
  });
  const commitSeconds = new Histogram({
    name: 'weft_commit_duration_seconds',
    help: 'From handing a batch to the store to its being on disk.',
    buckets: SHORT_BUCKETS_S,
    registers,
  });
  const httpRequests = new Counter({
    name: 'weft_http_requests_total',
    help: 'Requests by the pattern of their path and their status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  // Without the status, because each label multiplies the buckets.
  const httpSeconds = new Histogram({
    name: 'weft_http_request_duration_seconds',
    help: 'Requests by the pattern of their path.',
    labelNames: ['method', 'route'],
    buckets: SHORT_BUCKETS_S,
    registers,
  });
  const webhooks = new Counter({
    name: 'weft_webhook_responses_total',
    help: 'Responses to webhook calls.',
    labelNames: ['status'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'weft_outgoing_call_duration_seconds',
    help: 'HTTP calls of nodes with their redirects, by the class of the status or the failure.',
    labelNames: ['outcome'],
    buckets: SHORT_BUCKETS_S,
    registers,
  });
  const refusals = new Counter({
    name: 'weft_rate_limited_requests_total',
    help: 'Requests rejected with RATE_LIMITED.',
    labelNames: ['reason'],
    registers,
  });
  const connections = new Gauge({
    name: 'weft_connections',
    help: 'Connections that are open.',
    labelNames: ['transport'],
    registers,
  });
  for (const api of streamingApis) connections.set({ transport: api }, 0);

  /** A gauge that is read on each scrape; it keeps its value when the read fails. */
  function registerGauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        try {
          gauge.set(await read());
        } catch (error) {
          deps.report(`${name} could not be read`, error);
        }
      },
    });
    registry.registerMetric(gauge);
  }
  /** The same for a counter. */
  function registerCounter(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [],
      collect() {
        counter.reset();
        counter.inc(read());
      },
    });
    registry.registerMetric(counter);
  }
  registerGauge(
    'weft_executions_active',
    'Executions in the memory of this process.',
    () => deps.engine().active,
  );
  registerGauge(
    'weft_executions_queued',
    'Executions that are queued, as far as this process knows.',
    () => deps.engine().queued,
  );
  registerGauge(
    'weft_pending_checkpoints',
    'Checkpoints that wait for the disk.',
    () => deps.engine().pendingWrites,
  );
  registerGauge(
    'weft_executions_waiting',
    'Executions on disk that wait for a time or an event.',
    async () => (await deps.executions.statusCounts()).waiting,
  );
  registerGauge('weft_timer_lateness_seconds', 'How long the earliest timer has been due.', async () => {
    const next = await deps.executions.nextTimer();
    return next === null ? 0 : Math.max(0, deps.clock.now() - next) / 1000;
  });

  registerGauge('weft_leader', '1 if this process is the leader. Always 1 without a cluster.', () =>
    deps.engine().isLeader ? 1 : 0,
  );
  registerCounter(
    'weft_sweeps_total',
    'Searches for executions without a worker.',
    () => deps.engine().sweeps,
  );
  registerCounter(
    'weft_lease_lost_total',
    'Leases of this process that were over before it renewed them.',
    () => deps.engine().leasesLost,
  );
  registerCounter(
    'weft_snapshots_used_total',
    'Executions that continued from a snapshot of their state.',
    () => deps.engine().snapshotsUsed,
  );
  registerCounter(
    'weft_replayed_events_total',
    'Events of journals that were replayed to continue executions.',
    () => deps.engine().replayedEvents,
  );
  const { others, connections: database } = deps;
  if (others !== null) {
    registerGauge('weft_redis_up', 'Whether Redis is reached.', () => (others.isUp() ? 1 : 0));
    const depth = (pick: (depth: QueueDepth) => number) => async (): Promise<number> => {
      const found = await others.depth();
      return found === null ? 0 : pick(found);
    };
    registerGauge(
      'weft_queue_waiting',
      'Queue messages that wait for a worker.',
      depth((found) => found.waiting),
    );
    registerGauge(
      'weft_queue_active',
      'Queue messages that are being processed.',
      depth((found) => found.taken),
    );
    registerGauge(
      'weft_queue_oldest_seconds',
      'How long the first queue message has waited.',
      depth((found) => (found.oldest ?? 0) / 1000),
    );
  }
  if (database !== null) {
    registerGauge(
      'weft_database_connections',
      'Connections that this process may open.',
      () => database().size,
    );
    registerGauge('weft_database_connections_open', 'Connections that are open.', () => database().open);
    registerGauge('weft_database_connections_used', 'Connections in use.', () => database().used);
    registerGauge(
      'weft_database_connections_waiting',
      'Requests that wait for a database connection.',
      () => database().waiting,
    );
  }

  let last: { at: number; text: Promise<string> } | null = null;
  return {
    executionStarted: (trigger) => started.inc({ trigger }),
    executionEnded(status, ms) {
      ended.inc({ status });
      if (ms !== null) executionSeconds.observe({ status }, seconds(ms));
    },
    recordNodeRun: (type, status, ms) =>
      nodeSeconds.observe({ type: nodeTypes.has(type) ? type : 'custom', status }, seconds(ms)),
    committed(checkpoints, ms) {
      commitSize.observe(checkpoints);
      commitSeconds.observe(seconds(ms));
    },
    requestCompleted(method, route, status, ms) {
      const labels = { method: METHODS.has(method) ? method : 'other', route: route ?? 'none' };
      httpRequests.inc({ ...labels, status: statusLabel(status) });
      httpSeconds.observe(labels, seconds(ms));
    },
    webhookResponded: (status) => webhooks.inc({ status: statusLabel(status) }),
    called: (outcome, ms) => callSeconds.observe({ outcome }, seconds(ms)),
    refused: (reason) => refusals.inc({ reason: REASONS.has(reason) ? reason : 'other' }),
    connectionOpened(api) {
      let isOpen = true;
      connections.inc({ transport: api });
      return () => {
        if (isOpen) connections.dec({ transport: api });
        isOpen = false;
      };
    },
    text() {
      const now = deps.clock.now();
      if (last === null || Math.abs(now - last.at) >= TEXT_LIFETIME_MS)
        last = { at: now, text: registry.metrics() };
      return last.text;
    },
    contentType: registry.contentType,
  };
}

/** A clock that was set back must not yield a negative duration. */
function seconds(ms: number): number {
  return ms > 0 ? ms / 1000 : 0;
}

function statusLabel(status: number): string {
  return STATUSES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}
