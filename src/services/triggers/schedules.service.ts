import { isTemporary, WeftError } from '../../contract/errors.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { isObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { DueSchedule, ScheduleRow, TickClaim } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { MAX_CATCH_UP, readSchedule, listTicksUntil, type ScheduleSpec } from './schedule-times.ts';

/**
 * Maximum sleep, ms: a changed clock, or a schedule created by another process, is detected within this time.
 */
const MAX_SLEEP_MS = 10_000;
/** Delay before a start is retried, ms. */
const RETRY_DELAY_MS = 1_000;
/** A tick later than this counts as missed, ms. */
const MAX_LATENESS_MS = 60_000;
const BATCH_SIZE = 1_000;
const MAX_BATCH_SIZE = 20_000;
const MAX_CONCURRENCY = 50;

/**
 * Due ticks, oldest first. `second` follows the first; `next` is not due yet; `isCut`: older ticks were left
 * out.
 */
type CatchUp = {
  readonly ticks: readonly number[];
  readonly first: number;
  readonly last: number;
  readonly second: number | null;
  readonly next: number | null;
  readonly isCut: boolean;
};

export type SchedulesDeps = {
  workflows: Pick<
    WorkflowStore,
    'get' | 'dueSchedules' | 'nextSchedule' | 'moveSchedule' | 'queueTicks' | 'running'
  >;
  engine: Pick<Engine, 'start'>;
  /** Reports that a schedule failed for another reason than before. */
  failed(problem: TriggerFailure): void;
  clock: Clock;
  timezone: string;
  report(message: string, error: unknown): void;
};

/**
 * Runs schedules. A tick is consumed in the transaction that creates its execution, so it runs once, even
 * after a crash.
 * - One due tick: `overlap` decides. `skip` drops it while an execution of the workflow is active, `queue`
 * holds it until none is, `allow` starts it.
 * - Missed ticks (several at once, or more than a minute late): `missed` decides. `once` runs the last one,
 * `skip` none, `all` each in sequence (concurrently with `allow`), at most the newest 1,000. Ticks that
 * `queue` holds while Weft runs are not missed, and are kept across a restart.
 */
export function createSchedules(deps: SchedulesDeps) {
  const { workflows, clock } = deps;
  let startedAt = 0;
  let isRunning = false;
  let cancelSleep = (): void => {};
  let isWanted = false;
  /** Schedules of the last pass. */
  let lastDue = 0;
  let pass: Promise<void> | null = null;

  function wake(): void {
    if (!isRunning) return;
    cancelSleep();
    if (pass !== null) {
      isWanted = true;
      return;
    }
    isWanted = false;
    pass = run()
      .catch((error: unknown) => {
        deps.report('schedules could not be served', error);
        return RETRY_DELAY_MS;
      })
      .then((sleep) => {
        pass = null;
        if (!isRunning) return;
        if (isWanted) wake();
        else cancelSleep = clock.after(sleep, wake);
      });
  }

  /** Processes all due schedules once; returns the ms until the next pass. */
  async function run(): Promise<number> {
    const now = clock.now();
    // Those of the last pass may still be due, because their ticks are queued.
    const limit = Math.min(MAX_BATCH_SIZE, BATCH_SIZE + lastDue);
    const due = await workflows.dueSchedules(now, limit);
    lastDue = due.length;
    let wait = MAX_SLEEP_MS;
    for (let i = 0; i < due.length; i += MAX_CONCURRENCY) {
      const waits = await Promise.all(due.slice(i, i + MAX_CONCURRENCY).map((row) => serve(row, now)));
      wait = Math.min(wait, ...waits);
    }
    const next = await workflows.nextSchedule();
    if (due.length === limit) wait = Math.min(wait, RETRY_DELAY_MS);
    // A tick that is still due and could not start is not retried immediately.
    if (next !== null && next > now) wait = Math.min(wait, next - clock.now());
    return Math.max(wait, 0);
  }

  /** Returns the ms until this schedule must be processed again. */
  async function serve(row: DueSchedule, now: number): Promise<number> {
    const due = row.nextRunAt;
    if (due === null) return MAX_SLEEP_MS;
    const claim = (next: number | null): TickClaim => ({
      workflowId: row.workflowId,
      nodeId: row.nodeId,
      due,
      next,
    });
    try {
      const spec = isObject(row.spec) ? readSchedule(row.spec, deps.timezone) : [];
      if (Array.isArray(spec)) {
        await recordFailure(
          row,
          claim(null),
          `The schedule cannot be read: ${spec[0]?.issue ?? 'it is no object'}`,
        );
        return MAX_SLEEP_MS;
      }
      const { ticks, hasDropped, next } = listTicksUntil(spec, due, now);
      const first = ticks[0];
      const last = ticks.at(-1);
      if (first === undefined || last === undefined) {
        // The clock, the time zone or its rules changed: the tick no longer exists.
        await workflows.moveSchedule(claim(next), null);
        return 0;
      }
      const catchUp = { ticks, first, last, second: ticks[1] ?? next, next, isCut: hasDropped };
      return spec.overlap === 'queue'
        ? await serveQueue(row, spec.missed, catchUp, claim, now)
        : await serveAtOnce(row, spec, catchUp, claim, now);
    } catch (error) {
      if (error instanceof WeftError && isTemporary(error.code)) return RETRY_DELAY_MS;
      if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
        const spec = isObject(row.spec) ? readSchedule(row.spec, deps.timezone) : [];
        await recordFailure(row, claim(Array.isArray(spec) ? null : spec.next(now)), error.message);
        return 0;
      }
      deps.report('a schedule could not be served', error);
      return RETRY_DELAY_MS;
    }
  }

  /** For `skip` and `allow`: a tick that cannot start now is dropped, unless `missed` is `all`. */
  async function serveAtOnce(
    row: DueSchedule,
    { overlap, missed }: ScheduleSpec,
    { ticks, first, last, second, next, isCut }: CatchUp,
    claim: (next: number | null) => TickClaim,
    now: number,
  ): Promise<number> {
    if (ticks.length === 1 && now - first <= MAX_LATENESS_MS) return fire(row, overlap, claim(second), first);
    if (missed === 'skip') {
      await workflows.moveSchedule(claim(next), null);
      return 0;
    }
    if (missed === 'once') return fire(row, overlap, claim(next), last);
    if (isCut) notifySkippedRuns(row);
    return fire(row, overlap === 'allow' ? 'allow' : 'queue', claim(second), first);
  }

  /**
   * For `queue`: ticks that become due while Weft runs stay queued across a restart. Only ticks between the
   * last of them and the start are missed.
   */
  async function serveQueue(
    row: DueSchedule,
    missed: ScheduleSpec['missed'],
    { ticks, first, last, second, next, isCut }: CatchUp,
    claim: (next: number | null) => TickClaim,
    now: number,
  ): Promise<number> {
    if (isCut) notifySkippedRuns(row);
    const queuedUntil = row.queuedUntil ?? 0;
    const gap = ticks.filter((tick) => tick > queuedUntil && tick < startedAt);
    const isKept = gap[0] !== first;
    const isLate = gap.length > 1 || now - first > MAX_LATENESS_MS;
    if (isKept || !isLate || missed === 'all') {
      // After a gap nothing is queued, because the ticks in the gap would be queued as well.
      const newest = isKept && gap.length > 0 && missed !== 'all' ? queuedUntil : last;
      return fireOrQueue(row, claim(second), first, newest);
    }
    const behind = ticks[gap.length] ?? next;
    const newest = gap.at(-1) ?? first;
    if (missed === 'once' && newest === first) return fireOrQueue(row, claim(behind), first, last);
    await workflows.moveSchedule(claim(missed === 'once' ? newest : behind), null);
    return 0;
  }

  function notifySkippedRuns(row: ScheduleRow): void {
    const what = `a schedule of ${row.workflowId} has more than ${MAX_CATCH_UP} ticks to catch up with`;
    deps.report(`${what}: the oldest are left out`, null);
  }

  /** A tick that cannot start yet stays due, also across a restart: up to the `newest` tick. */
  async function fireOrQueue(row: DueSchedule, tick: TickClaim, at: number, newest: number): Promise<number> {
    const wait = await fire(row, 'queue', tick, at);
    if (wait === RETRY_DELAY_MS && newest > (row.queuedUntil ?? 0))
      await workflows.queueTicks(row.workflowId, row.nodeId, newest);
    return wait;
  }

  async function fire(
    row: ScheduleRow,
    overlap: ScheduleSpec['overlap'],
    tick: TickClaim,
    scheduledAt: number,
  ): Promise<number> {
    if (overlap !== 'allow' && (await workflows.running(row.workflowId)) > 0) {
      if (overlap === 'queue') return RETRY_DELAY_MS;
      await workflows.moveSchedule(tick, null);
      return 0;
    }
    const workflow = await workflows.get(row.ownerId, row.workflowId);
    if (workflow === null) return MAX_SLEEP_MS;
    const started = await deps.engine.start({
      ownerId: row.ownerId,
      workflowId: row.workflowId,
      workflowVersion: row.version,
      settings: workflow.settings,
      trigger: { type: 'schedule', node_id: row.nodeId, scheduled_at: new Date(scheduledAt).toISOString() },
      entry: row.nodeId,
      input: { scheduled_at: new Date(scheduledAt).toISOString() },
      dedupe: null,
      tick,
      parentId: null,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
    });
    if (started.kind === 'accepted') {
      // A queued tick starts as soon as this execution ends.
      if (overlap === 'queue') void started.watch.ended.then(wake, wake);
      else started.watch.cancel();
    }
    return 0;
  }

  async function recordFailure(row: ScheduleRow, tick: TickClaim, why: string): Promise<void> {
    const { ownerId, workflowId, nodeId, lastError } = row;
    const isNoted = await workflows.moveSchedule(tick, why);
    // All of its ticks may fail for the same reason.
    if (isNoted && lastError !== why)
      deps.failed({ ownerId, workflowId, nodeId, kind: 'schedule', issue: why });
  }

  return {
    start(): void {
      if (isRunning) return;
      isRunning = true;
      startedAt = clock.now();
      wake();
    },
    /** Schedules have changed: runs a pass immediately. */
    wake: wake,
    /** Stops firing; resolves when pending starts are on disk. */
    async stop(): Promise<void> {
      isRunning = false;
      cancelSleep();
      await pass;
    },
  };
}
