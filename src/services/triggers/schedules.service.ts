import { isTemporary, WeftError } from '../../contract/errors.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { isObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { DueSchedule, ScheduleRow, TickClaim } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { MAX_CATCH_UP, readSchedule, ticksUntil, type ScheduleSpec } from './schedule-times.ts';

/** ms; the longest sleep: a clock that was moved, or a schedule made by another process, is seen within it. */
const MAX_SLEEP = 10_000;
/** ms until what could not start now is tried again. */
const RETRY = 1_000;
/** ms that a tick may be late before it counts as missed. */
const LATE = 60_000;
const BATCH = 1_000;
const AT_ONCE = 50;

/** Ticks that are due, oldest first; `second`: behind the first one; `next`: not due yet; `isCut`: older ones were left out. */
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
    'get' | 'dueSchedules' | 'nextSchedule' | 'moveSchedule' | 'holdTicks' | 'running'
  >;
  engine: Pick<Engine, 'start'>;
  /** A schedule could not be served, for another reason than before. */
  failed(fault: TriggerFailure): void;
  clock: Clock;
  timezone: string;
  report(message: string, error: unknown): void;
};

/**
 * Fires schedules. A tick is consumed in the same transaction that creates its execution, so it runs once, whatever
 * dies in between.
 *
 * - One tick that is due: `overlap` decides. `skip` lets it go while an execution of the workflow is unsettled, `queue`
 *   keeps it until there is none, `allow` starts it.
 * - Ticks that were missed (several at once, or more than a minute late): `missed` decides. `once` runs the last one,
 *   `skip` none, `all` each, one after the other (at once with `allow`), at most the newest 1,000. Ticks that came due
 *   while Weft ran are not missed where `queue` keeps them, and are known after a restart.
 */
export function createSchedules(deps: SchedulesDeps) {
  const { workflows, clock } = deps;
  let startedAt = 0;
  let isRunning = false;
  let cancelSleep = (): void => {};
  let isWanted = false;
  let pass: Promise<void> | null = null;

  function look(): void {
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
        return RETRY;
      })
      .then((sleep) => {
        pass = null;
        if (!isRunning) return;
        if (isWanted) look();
        else cancelSleep = clock.after(sleep, look);
      });
  }

  /** One pass over what is due; the ms until the next one is wanted. */
  async function run(): Promise<number> {
    const now = clock.now();
    const due = await workflows.dueSchedules(now, BATCH);
    let wait = MAX_SLEEP;
    for (let i = 0; i < due.length; i += AT_ONCE) {
      const waits = await Promise.all(due.slice(i, i + AT_ONCE).map((row) => serve(row, now)));
      wait = Math.min(wait, ...waits);
    }
    const next = await workflows.nextSchedule();
    if (due.length === BATCH) wait = Math.min(wait, RETRY);
    // What is still due and could not start is not asked for again at once.
    if (next !== null && next > now) wait = Math.min(wait, next - clock.now());
    return Math.max(wait, 0);
  }

  /** The ms until this schedule wants to be looked at again. */
  async function serve(row: DueSchedule, now: number): Promise<number> {
    const due = row.nextRunAt;
    if (due === null) return MAX_SLEEP;
    const claim = (next: number | null): TickClaim => ({
      workflowId: row.workflowId,
      nodeId: row.nodeId,
      due,
      next,
    });
    try {
      const spec = isObject(row.spec) ? readSchedule(row.spec, deps.timezone) : [];
      if (Array.isArray(spec)) {
        await giveUp(row, claim(null), `The schedule cannot be read: ${spec[0]?.issue ?? 'it is no object'}`);
        return MAX_SLEEP;
      }
      const { ticks, dropped, next } = ticksUntil(spec, due, now);
      const first = ticks[0];
      const last = ticks.at(-1);
      if (first === undefined || last === undefined) {
        // The clock, the time zone or its rules moved: there is no such tick any more.
        await workflows.moveSchedule(claim(next), null);
        return 0;
      }
      const catchUp = { ticks, first, last, second: ticks[1] ?? next, next, isCut: dropped };
      return spec.overlap === 'queue'
        ? await serveQueue(row, spec.missed, catchUp, claim, now)
        : await serveAtOnce(row, spec, catchUp, claim, now);
    } catch (error) {
      if (error instanceof WeftError && isTemporary(error.code)) return RETRY;
      if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
        const spec = isObject(row.spec) ? readSchedule(row.spec, deps.timezone) : [];
        await giveUp(row, claim(Array.isArray(spec) ? null : spec.next(now)), error.message);
        return 0;
      }
      deps.report('a schedule could not be served', error);
      return RETRY;
    }
  }

  /** `skip` and `allow`: no tick that cannot start now is kept, unless all that were missed are wanted. */
  async function serveAtOnce(
    row: DueSchedule,
    { overlap, missed }: ScheduleSpec,
    { ticks, first, last, second, next, isCut }: CatchUp,
    claim: (next: number | null) => TickClaim,
    now: number,
  ): Promise<number> {
    if (ticks.length === 1 && now - first <= LATE) return fire(row, overlap, claim(second), first);
    if (missed === 'skip') {
      await workflows.moveSchedule(claim(next), null);
      return 0;
    }
    if (missed === 'once') return fire(row, overlap, claim(next), last);
    if (isCut) tellCut(row);
    return fire(row, overlap === 'allow' ? 'allow' : 'queue', claim(second), first);
  }

  /**
   * `queue`: what comes due while Weft runs is kept, whatever restarts. Missed is only what was due between the last of those
   * and the start.
   */
  async function serveQueue(
    row: DueSchedule,
    missed: ScheduleSpec['missed'],
    { ticks, first, last, second, next, isCut }: CatchUp,
    claim: (next: number | null) => TickClaim,
    now: number,
  ): Promise<number> {
    if (isCut) tellCut(row);
    const heldTo = row.heldTo ?? 0;
    const gap = ticks.filter((tick) => tick > heldTo && tick < startedAt);
    const isKept = gap[0] !== first;
    const isLate = gap.length > 1 || now - first > LATE;
    if (isKept || !isLate || missed === 'all') {
      // Behind a gap nothing is held: what lies in the gap would be, too.
      const newest = isKept && gap.length > 0 && missed !== 'all' ? heldTo : last;
      return fireOrHold(row, claim(second), first, newest);
    }
    const behind = ticks[gap.length] ?? next;
    const newest = gap.at(-1) ?? first;
    if (missed === 'once' && newest === first) return fireOrHold(row, claim(behind), first, last);
    await workflows.moveSchedule(claim(missed === 'once' ? newest : behind), null);
    return 0;
  }

  function tellCut(row: ScheduleRow): void {
    const what = `a schedule of ${row.workflowId} has more than ${MAX_CATCH_UP} ticks to catch up with`;
    deps.report(`${what}: the oldest are left out`, null);
  }

  /** What cannot start yet stays due, across a restart, too: up to the `newest` tick. */
  async function fireOrHold(row: DueSchedule, tick: TickClaim, at: number, newest: number): Promise<number> {
    const wait = await fire(row, 'queue', tick, at);
    if (wait === RETRY && newest > (row.heldTo ?? 0))
      await workflows.holdTicks(row.workflowId, row.nodeId, newest);
    return wait;
  }

  async function fire(
    row: ScheduleRow,
    overlap: ScheduleSpec['overlap'],
    tick: TickClaim,
    scheduledAt: number,
  ): Promise<number> {
    if (overlap !== 'allow' && (await workflows.running(row.workflowId)) > 0) {
      if (overlap === 'queue') return RETRY;
      await workflows.moveSchedule(tick, null);
      return 0;
    }
    const workflow = await workflows.get(row.ownerId, row.workflowId);
    if (workflow === null) return MAX_SLEEP;
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
      // A tick that is kept starts as soon as this execution has ended.
      if (overlap === 'queue') void started.watch.ended.then(look, look);
      else started.watch.cancel();
    }
    return 0;
  }

  async function giveUp(row: ScheduleRow, tick: TickClaim, why: string): Promise<void> {
    const { ownerId, workflowId, nodeId, lastError } = row;
    const isNoted = await workflows.moveSchedule(tick, why);
    // Every tick of it may fail for the same reason.
    if (isNoted && lastError !== why)
      deps.failed({ ownerId, workflowId, nodeId, kind: 'schedule', issue: why });
  }

  return {
    start(): void {
      if (isRunning) return;
      isRunning = true;
      startedAt = clock.now();
      look();
    },
    /** Something about schedules changed: looks at once. */
    wake: look,
    /** Fires nothing more; resolves when what was being started is on disk. */
    async stop(): Promise<void> {
      isRunning = false;
      cancelSleep();
      await pass;
    },
  };
}
