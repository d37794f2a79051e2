import { monitorEventLoopDelay } from 'node:perf_hooks';
import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { EngineHealth } from '../../engine/engine-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { isAdministrator } from '../authorize.ts';
import type { Throughput } from './throughput.ts';

/** `starting` until `opened` is called, `draining` after `drain`. Only `ready` accepts work. */
export type Phase = 'starting' | 'ready' | 'draining';
export type Check = { status: 'ok' | 'failed'; [measure: string]: unknown };
export type HealthView = {
  status: 'ok' | 'degraded';
  version: string;
  uptime: number;
  checks: Record<string, Check>;
};

/**
 * An update for subscribers: `uptime` and `eventLoopLag` in ms, `memoryUsed` in bytes, `timestamp` in epoch
 * ms.
 */
export type HealthUpdate = {
  status: HealthView['status'];
  uptime: number;
  activeExecutions: number;
  queuedExecutions: number;
  lastMinute: Throughput;
  /** The 99th percentile over the current and the previous half minute. */
  eventLoopLag: number;
  memoryUsed: number;
  timestamp: number;
};

/** Interval between two updates, ms. */
const UPDATE_INTERVAL_MS = 2_000;
const MAX_WATCHERS = 2_000;

/** How long the result of the store check is cached, ms, so that probes cause no load. */
const STORE_CHECK_LIFETIME_MS = 3_000;
/** Timeout of the store check, ms: a store that hangs is unhealthy. */
const STORE_CHECK_TIMEOUT_MS = 2_000;
/** The same for the bucket of files, for which each check is a request that may cost money. */
const FILES_CHECK_LIFETIME_MS = 10_000;
const FILES_CHECK_TIMEOUT_MS = 5_000;
/** In ms; the event loop delay covers the current and the previous window. */
const WINDOW_MS = 30_000;
const NS_PER_MS = 1e6;
/** Sampling interval of the event loop delay, ms; the measured delay includes it. */
const RESOLUTION_MS = 10;

export type Health = ReturnType<typeof createHealth>;

export function createHealth(deps: {
  version: string;
  clock: Clock;
  /** Called when a subscriber throws; the others are still notified. */
  onError?(error: unknown): void;
  /** Writes a small value and reads it back; rejects when the store fails. */
  checkStore(): Promise<void>;
  /** Rejects when the bucket of files cannot be reached; undefined without one. */
  checkFiles?: () => Promise<void>;
  /** Whether Redis is reachable, in a cluster. */
  isRedisUp?(): boolean;
  engine: { health(): EngineHealth };
  /** The executions that ended in the last minute. */
  throughput: { lastMinute(): Throughput };
}) {
  const { clock } = deps;
  const began = clock.now();
  let phase: Phase = 'starting';
  let current = startMonitor();
  let before: { max: number; p99: number } = { max: 0, p99: 0 };
  let cancel = clock.after(WINDOW_MS, turn);

  function turn(): void {
    before = read();
    current.disable();
    current = startMonitor();
    cancel = clock.after(WINDOW_MS, turn);
  }

  function read(): { max: number; p99: number } {
    return { max: current.max / NS_PER_MS, p99: current.percentile(99) / NS_PER_MS };
  }

  /** Runs a check with a timeout, and caches its result. */
  function createCheck(run: () => Promise<void>, timeout: number, lifetime: number): () => Promise<Check> {
    let last: { at: number; result: Promise<Check> } | null = null;
    const check = async (): Promise<Check> => {
      const start = performance.now();
      let cancelTimeout = (): void => {};
      const late = new Promise<never>((_, reject) => {
        cancelTimeout = clock.after(timeout, () => reject(new Error('late')));
      });
      try {
        await Promise.race([run(), late]);
        return { status: 'ok', duration_ms: Math.round(performance.now() - start) };
      } catch {
        // The store logs the reason; a public page only reports the failure.
        return { status: 'failed', duration_ms: Math.round(performance.now() - start) };
      } finally {
        cancelTimeout();
      }
    };
    return () => {
      if (last === null || Math.abs(clock.now() - last.at) >= lifetime)
        last = { at: clock.now(), result: check() };
      return last.result;
    };
  }

  const check = createCheck(() => deps.checkStore(), STORE_CHECK_TIMEOUT_MS, STORE_CHECK_LIFETIME_MS);
  const { checkFiles } = deps;
  const filesCheck =
    checkFiles === undefined
      ? null
      : createCheck(() => checkFiles(), FILES_CHECK_TIMEOUT_MS, FILES_CHECK_LIFETIME_MS);

  function redisCheck(): Check | null {
    return deps.isRedisUp === undefined ? null : { status: deps.isRedisUp() ? 'ok' : 'failed' };
  }

  async function sample(): Promise<HealthUpdate> {
    const [store, files] = await Promise.all([check(), filesCheck?.()]);
    const { active, queued } = deps.engine.health();
    return {
      status: summarize([store, files, redisCheck()]),
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

  /** Takes one sample for all subscribers while there are any. */
  function startSampler(): void {
    let cancel = (): void => {};
    const own = { cancel: () => cancel() };
    const next = (): void => {
      cancel = clock.after(UPDATE_INTERVAL_MS, () => {
        void sample().then((update) => {
          // All subscribers may have changed during the store check.
          if (sampler !== own) return;
          next();
          for (const watcher of watchers) notify(watcher, update);
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

  function notify(watcher: (update: HealthUpdate) => void, update: HealthUpdate): void {
    try {
      watcher(update);
    } catch (error) {
      deps.onError?.(error);
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

    /** `degraded`: started, but writes fail. */
    async readiness(): Promise<Phase | 'degraded'> {
      if (phase !== 'ready') return phase;
      return (await check()).status === 'ok' ? phase : 'degraded';
    },

    /** `uptime` and measures that end in `_ms` in ms, memory in bytes. Only administrators see measures. */
    async view(principal: Principal | null): Promise<HealthView> {
      const [store, files] = await Promise.all([check(), filesCheck?.()]);
      const now = read();
      const { active, queued, pendingWrites } = deps.engine.health();
      const { rss, heapUsed } = process.memoryUsage();
      const redis = redisCheck();
      const checks: Record<string, Check> = {
        store,
        ...(files === undefined ? {} : { files }),
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
        status: summarize([store, files, redis]),
        version: deps.version,
        uptime: clock.now() - began,
        checks: seesMeasures
          ? checks
          : Object.fromEntries(Object.entries(checks).map(([name, { status }]) => [name, { status }])),
      };
    },

    /**
     * Sends the health now and then every two seconds, until the returned function is called. Any
     * authenticated caller may subscribe to these figures of the whole instance.
     * @throws {WeftError} RATE_LIMITED when there are too many subscribers.
     */
    watch(_principal: Principal, receive: (update: HealthUpdate) => void): () => void {
      if (watchers.size >= MAX_WATCHERS) {
        throw new WeftError('RATE_LIMITED', 'There are too many subscribers to health updates.', {
          reason: 'capacity',
          retry_after: 5,
        });
      }
      // A wrapper, so that one function can subscribe twice and unsubscribe once.
      const watcher = (update: HealthUpdate): void => receive(update);
      watchers.add(watcher);
      if (sampler === null) startSampler();
      void sample().then((update) => {
        if (watchers.has(watcher)) notify(watcher, update);
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

function summarize(checks: readonly (Check | null | undefined)[]): HealthView['status'] {
  return checks.some((check) => check?.status === 'failed') ? 'degraded' : 'ok';
}

function startMonitor() {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  return monitor;
}

function delay(ms: number): number {
  return Number.isFinite(ms) ? Math.round(Math.max(0, ms - RESOLUTION_MS) * 10) / 10 : 0;
}
