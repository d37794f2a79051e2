import { monitorEventLoopDelay } from 'node:perf_hooks';
import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { EngineHealth } from '../../engine/engine-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { isAdministrator } from '../authorize.ts';
import type { Throughput } from './throughput.ts';

/** `starting` until `opened` is called, `draining` after `drain`. Only `ready` takes work. */
export type Phase = 'starting' | 'ready' | 'draining';
export type Check = { status: 'ok' | 'failed'; [measure: string]: unknown };
export type HealthView = {
  status: 'ok' | 'degraded';
  version: string;
  uptime: number;
  checks: Record<string, Check>;
};

/** What watchers see: `uptime` and `eventLoopLag` in ms, `memoryUsed` in bytes, `timestamp` in ms since the epoch. */
export type HealthUpdate = {
  status: HealthView['status'];
  uptime: number;
  activeExecutions: number;
  queuedExecutions: number;
  lastMinute: Throughput;
  /** The 99th percentile of the current and the last half minute. */
  eventLoopLag: number;
  memoryUsed: number;
  timestamp: number;
};

/** ms between two updates for watchers. */
const UPDATE = 2_000;
const MAX_WATCHERS = 2_000;

/** ms that the answer of the store's check is used again: probes must not become load. */
const STORE_CHECK_LIFE = 3_000;
/** ms for the store's check; a store that hangs is not a healthy one. */
const STORE_CHECK_TIMEOUT = 2_000;
/** ms: event loop delay is told over the current and the last window of this length. */
const WINDOW = 30_000;
const NS = 1e6;
/** ms between two looks at the event loop; what it measures contains this wait. */
const RESOLUTION = 10;

export type Health = ReturnType<typeof createHealth>;

export function createHealth(deps: {
  version: string;
  clock: Clock;
  /** A watcher threw: a fault of ours, the others go on. */
  onFault?(error: unknown): void;
  /** Writes and reads back something small; rejects when the store does not work. */
  checkStore(): Promise<void>;
  /** Among other processes: whether Redis is reached. */
  isRedisUp?(): boolean;
  engine: { health(): EngineHealth };
  /** What ended within the last minute. */
  throughput: { lastMinute(): Throughput };
}) {
  const { clock } = deps;
  const began = clock.now();
  let phase: Phase = 'starting';
  let lastCheck: { at: number; result: Promise<Check> } | null = null;
  let current = startMonitor();
  let before: { max: number; p99: number } = { max: 0, p99: 0 };
  let cancel = clock.after(WINDOW, turn);

  function turn(): void {
    before = read();
    current.disable();
    current = startMonitor();
    cancel = clock.after(WINDOW, turn);
  }

  function read(): { max: number; p99: number } {
    return { max: current.max / NS, p99: current.percentile(99) / NS };
  }

  async function checkStore(): Promise<Check> {
    const start = performance.now();
    let cancelTimeout = (): void => {};
    const late = new Promise<never>((_, reject) => {
      cancelTimeout = clock.after(STORE_CHECK_TIMEOUT, () => reject(new Error('late')));
    });
    try {
      await Promise.race([deps.checkStore(), late]);
      return { status: 'ok', duration_ms: Math.round(performance.now() - start) };
    } catch {
      // Why it failed is in the log of the store; a public page only says that it did.
      return { status: 'failed', duration_ms: Math.round(performance.now() - start) };
    } finally {
      cancelTimeout();
    }
  }

  async function check(): Promise<Check> {
    if (lastCheck === null || Math.abs(clock.now() - lastCheck.at) >= STORE_CHECK_LIFE) {
      lastCheck = { at: clock.now(), result: checkStore() };
    }
    return lastCheck.result;
  }

  function redisCheck(): Check | null {
    return deps.isRedisUp === undefined ? null : { status: deps.isRedisUp() ? 'ok' : 'failed' };
  }

  async function sample(): Promise<HealthUpdate> {
    const store = await check();
    const { active, queued } = deps.engine.health();
    return {
      status: store.status === 'ok' && redisCheck()?.status !== 'failed' ? 'ok' : 'degraded',
      uptime: clock.now() - began,
      activeExecutions: active,
      queuedExecutions: queued,
      lastMinute: deps.throughput.lastMinute(),
      eventLoopLag: delay(Math.max(read().p99, before.p99)),
      memoryUsed: process.memoryUsage.rss(),
      timestamp: clock.now(),
    };
  }

  const watchers = new Set<(update: HealthUpdate) => void>();
  let sampler: { cancel(): void } | null = null;

  /** One sample for all who watch, while anybody does. */
  function startSampler(): void {
    let cancel = (): void => {};
    const own = { cancel: () => cancel() };
    const next = (): void => {
      cancel = clock.after(UPDATE, () => {
        void sample().then((update) => {
          // Everybody may have left, and others come, while the store was being asked.
          if (sampler !== own) return;
          next();
          for (const watcher of watchers) tell(watcher, update);
        });
      });
    };
    sampler = own;
    next();
  }

  function stopSampler(): void {
    sampler?.cancel();
    sampler = null;
  }

  function tell(watcher: (update: HealthUpdate) => void, update: HealthUpdate): void {
    try {
      watcher(update);
    } catch (error) {
      deps.onFault?.(error);
    }
  }

  return {
    opened(): void {
      if (phase === 'starting') phase = 'ready';
    },
    draining(): void {
      phase = 'draining';
    },
    phase: () => phase,

    /** `degraded`: started, but nothing can be written. */
    async readiness(): Promise<Phase | 'degraded'> {
      if (phase !== 'ready') return phase;
      return (await check()).status === 'ok' ? phase : 'degraded';
    },

    /** `uptime` and measures that end in `_ms` in milliseconds, memory in bytes. Only administrators see measures. */
    async view(principal: Principal | null): Promise<HealthView> {
      const store = await check();
      const now = read();
      const { active, queued, pendingWrites } = deps.engine.health();
      const { rss, heapUsed } = process.memoryUsage();
      const redis = redisCheck();
      const checks: Record<string, Check> = {
        store,
        ...(redis === null ? {} : { redis }),
        engine: {
          status: 'ok',
          active_executions: active,
          queued_executions: queued,
          pending_writes: pendingWrites,
        },
        event_loop: {
          status: 'ok',
          event_loop_max_ms: delay(Math.max(now.max, before.max)),
          event_loop_p99_ms: delay(Math.max(now.p99, before.p99)),
        },
        memory: { status: 'ok', rss_bytes: rss, heap_used_bytes: heapUsed },
      };
      const seesMeasures = principal !== null && isAdministrator(principal);
      return {
        status: store.status === 'ok' && redis?.status !== 'failed' ? 'ok' : 'degraded',
        version: deps.version,
        uptime: clock.now() - began,
        checks: seesMeasures
          ? checks
          : Object.fromEntries(Object.entries(checks).map(([name, { status }]) => [name, { status }])),
      };
    },

    /**
     * Tells how the service is, at once and then every two seconds, until the returned function is called. Whoever has a
     * credential may watch these figures of the whole instance.
     * @throws {WeftError} RATE_LIMITED when too many watch.
     */
    watch(_principal: Principal, receive: (update: HealthUpdate) => void): () => void {
      if (watchers.size >= MAX_WATCHERS) {
        throw new WeftError('RATE_LIMITED', 'Too many are watching the health of the service.', {
          reason: 'capacity',
          retry_after: 5,
        });
      }
      // A wrapper, so that one function may watch twice and leave once.
      const watcher = (update: HealthUpdate): void => receive(update);
      watchers.add(watcher);
      if (sampler === null) startSampler();
      void sample().then((update) => {
        if (watchers.has(watcher)) tell(watcher, update);
      });
      return () => {
        watchers.delete(watcher);
        if (watchers.size === 0) stopSampler();
      };
    },

    close(): void {
      cancel();
      stopSampler();
      watchers.clear();
      current.disable();
    },
  };
}

function startMonitor() {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
  monitor.enable();
  return monitor;
}

function delay(ms: number): number {
  return Number.isFinite(ms) ? Math.round(Math.max(0, ms - RESOLUTION) * 10) / 10 : 0;
}
