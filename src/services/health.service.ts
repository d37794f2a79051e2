import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { EngineHealth } from '../engine/engine-port.ts';
import type { Clock } from '../ports/clock.ts';

/** `starting` until `opened` is called, `draining` after `drain`. Only `ready` takes work. */
export type Phase = 'starting' | 'ready' | 'draining';
export type Check = { status: 'ok' | 'failed'; [measure: string]: unknown };
export type HealthView = {
  status: 'ok' | 'degraded';
  version: string;
  uptime: number;
  checks: Record<string, Check>;
};

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
  /** Writes and reads back something small; rejects when the store does not work. */
  checkStore(): Promise<void>;
  engine: { health(): EngineHealth };
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

  return {
    opened(): void {
      if (phase === 'starting') phase = 'ready';
    },
    draining(): void {
      phase = 'draining';
    },
    phase: () => phase,

    /** `uptime` and measures that end in `_ms` in milliseconds, memory in bytes. */
    async view(): Promise<HealthView> {
      if (lastCheck === null || clock.now() - lastCheck.at >= STORE_CHECK_LIFE) {
        lastCheck = { at: clock.now(), result: checkStore() };
      }
      const store = await lastCheck.result;
      const now = read();
      const { active, queued, pendingWrites } = deps.engine.health();
      const { rss, heapUsed } = process.memoryUsage();
      return {
        status: store.status === 'ok' ? 'ok' : 'degraded',
        version: deps.version,
        uptime: clock.now() - began,
        checks: {
          store,
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
        },
      };
    },

    close(): void {
      cancel();
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
