import { WeftError } from '../../contract/errors.ts';
import { readTriggerResult } from '../../contract/packs/read-trigger-result.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { createDueWork } from '../due-work.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { DEFAULT_ITEMS } from '../../nodes/triggers/polling-config.ts';
import type { PollResult } from '../../nodes/triggers/poll-request.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { Attempt, NodeRunner } from '../../ports/runner.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { PackAppStore, PackTriggerStore } from '../../ports/store/pack-triggers.ts';
import type { ClaimedPoll, PollOutcome, PollStore } from '../../ports/store/polling.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { pollMailboxOnce } from './mailbox-poll.ts';
import {
  createListenerAddress,
  findPackTrigger,
  findPackWebhook,
  isPack,
  isPackWebhook,
  pollPackOnce,
} from './pack-poll.ts';
import { postponePoll, readCursor, servePackWebhook, type Renewal } from './pack-webhook.ts';
import { createMailboxAttempt, createPackAttempt, createRequestAttempt } from './poll-attempt.ts';
import { ItemKeyError, createKeyReader, createPolledItem, type PolledItem } from './poll-items.ts';
import { ClaimLost, isMailbox, PollFailure, startAll } from './poll-starts.ts';
import { readSchedule, listTicksUntil, type ScheduleSpec } from './schedule-times.ts';

/** Maximum sleep, ms: a trigger created by another process is found within this time. */
const MAX_SLEEP_MS = 10_000;
/** Delay after a lack of capacity, ms. */
const RETRY_DELAY_MS = 5_000;
/** Delay after the first failure, ms; it doubles with each further failure, up to the maximum. */
const MIN_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 3_600_000;
/** Maximum Retry-After that is honored, ms. */
const MAX_RETRY_AFTER_MS = 86_400_000;
/** Number of items whose keys are read before yielding to the event loop. */
const ITEMS_PER_SLICE = 500;
const NO_TIMES: ScheduleSpec = {
  next: () => null,
  listTicks: () => [],
  every: null,
  overlap: 'skip',
  missed: 'once',
};

export type PollingDeps = {
  polls: PollStore;
  packTriggers: Pick<PackTriggerStore, 'register' | 'firstRequest' | 'removeLater'>;
  packApps: Pick<PackAppStore, 'get'>;
  /** The URL at which a trigger of a pack receives requests. Null: no public URL is configured. */
  toPackUrl(address: string): string | null;
  /** A registration must be removed. */
  removalAdded(): void;
  /** A part of a URL that cannot be guessed, of 32 characters. */
  token(): string;
  workflows: Pick<WorkflowStore, 'get'>;
  engine: Pick<Engine, 'start'>;
  /** Runs the request with the secrets, egress policy and limits of a node. */
  runner: NodeRunner;
  /** The node types of all users. */
  types(): Promise<NodeTypes>;
  /** Reports that a poll failed for another reason than the previous one. */
  failed(problem: TriggerFailure): void;
  clock: Clock;
  timezone: string;
  report(message: string, error: unknown): void;
};

/**
 * Runs polling triggers, and email triggers as polls of a mailbox: fetches a list and starts an execution for
 * each new item. Received requests are the list of a trigger of a pack that receives requests.
 * - One poll of a trigger runs at a time across processes: the process that advances the due time holds a
 * claim with a fencing token and renews it. Every write of a poll requires the token.
 * - An item is marked as seen in the transaction that creates its execution, so it starts once, even after a
 * crash. Items that were not started are still new in the next poll, which fetches the whole list while any
 * are left.
 */
export function createPolling(deps: PollingDeps) {
  const { polls, clock } = deps;

  async function serve(row: ScheduleRow, poll: ClaimedPoll, stopping: AbortSignal): Promise<void> {
    const spec = isObject(row.spec) ? readTimes(row, row.spec) : [];
    const kept = keepClaim(poll, stopping);
    try {
      if (Array.isArray(spec))
        throw new PollFailure(`It cannot be read: ${spec[0]?.issue ?? 'it is no object'}`);
      const run = isPackWebhook(row)
        ? serveWebhook
        : isMailbox(row) || isPack(row)
          ? runWithCursor
          : runRequest;
      const end = await run(row, poll, spec, kept.signal, stopping);
      if (!(await polls.settle(poll, end))) await undo(row, poll, end);
      else if (end.lastError !== null) reportFailure(row, end.lastError);
    } catch (error) {
      // The next process restarts it immediately.
      if (stopping.aborted) return void (await polls.release(poll));
      if (error instanceof ClaimLost) return;
      await noteFailure(row, poll, Array.isArray(spec) ? null : spec, error);
    } finally {
      kept.release();
    }
  }

  /** Renews the claim until it is released; `signal` aborts when it is lost or the service stops. */
  function keepClaim(poll: ClaimedPoll, stopping: AbortSignal): { signal: AbortSignal; release(): void } {
    const lost = new AbortController();
    let cancel = (): void => {};
    const again = (): void => {
      cancel = clock.after(limits.heartbeatMs, () => {
        polls
          .renew(poll, clock.now() + limits.leaseMs)
          .then((isOurs) => (isOurs ? again() : lost.abort()))
          .catch((error: unknown) => {
            deps.report('a claim on a poll could not be renewed', error);
            lost.abort();
          });
      });
    };
    again();
    return {
      signal: AbortSignal.any([lost.signal, stopping]),
      release: () => {
        cancel();
        cancel = () => {};
        lost.abort();
      },
    };
  }

  async function runRequest(
    row: ScheduleRow,
    poll: ClaimedPoll,
    spec: ScheduleSpec,
    signal: AbortSignal,
  ): Promise<PollOutcome> {
    const attempt = createRequestAttempt({ row, signal, now: clock.now() }, poll);
    const response = (await ask(attempt, signal)) as PollResult;
    const now = clock.now();
    const settled = {
      next: computeNextTime(spec, poll.dueAt, now),
      lastError: null,
      failures: 0,
      cursor: null,
    };
    if (response === null) {
      const { number, etag, lastModified, cursor } = poll;
      return { ...settled, number, etag, lastModified, cursor, remember: [], listed: null };
    }
    const { etag, lastModified } = response;
    const config = isObject(row.spec) ? row.spec : {};
    const defaultKey = config['format'] === 'feed' ? 'id' : undefined;
    const items = await keyed(response.items, config['key'] ?? defaultKey, now);
    const listed = items.map((item) => item.digest);
    const number = poll.number + 1;
    if (poll.number === 0 && config['first'] !== 'take')
      return { ...settled, number, etag, lastModified, remember: listed, listed };
    const seen = new Set(await polls.filterSeen(row.workflowId, row.nodeId, listed));
    const fresh = items.filter((item) => !seen.has(item.digest));
    const most = typeof config['maxItems'] === 'number' ? config['maxItems'] : DEFAULT_ITEMS;
    const hasCapacity = await startAll(deps, row, poll, fresh.slice(0, most), signal);
    // A response of "not modified" would hide the items that are left.
    const whole = hasCapacity && fresh.length <= most;
    return {
      ...settled,
      ...(hasCapacity ? {} : { next: clock.now() + RETRY_DELAY_MS }),
      number,
      etag: whole ? etag : null,
      lastModified: whole ? lastModified : null,
      remember: [],
      listed,
    };
  }

  async function runWithCursor(
    row: ScheduleRow,
    poll: ClaimedPoll,
    spec: ScheduleSpec,
    signal: AbortSignal,
  ): Promise<PollOutcome> {
    const config = isObject(row.spec) ? row.spec : {};
    const context = { row, signal, now: clock.now() };
    const steps = {
      seen: (digests: readonly string[]) => polls.filterSeen(row.workflowId, row.nodeId, digests),
      start: (items: readonly PolledItem[]) => startAll(deps, row, poll, items, signal),
    };
    const pack = isPack(row) ? findPackTrigger(await deps.types(), config) : null;
    if (isPack(row) && pack === null) throw new PollFailure('This version of the pack is not installed.');
    const { hasCapacity, ...end } =
      pack === null
        ? await pollMailboxOnce(config, poll, {
            ...steps,
            request: (task, files) => ask(createMailboxAttempt(context, task, files), signal),
          })
        : await pollPackOnce(config, poll, context.now, {
            ...steps,
            call: (trigger) => ask(createPackAttempt(context, pack.createCall(trigger)), signal),
          });
    const now = clock.now();
    const next = hasCapacity ? computeNextTime(spec, poll.dueAt, now) : now + RETRY_DELAY_MS;
    return { ...end, next, lastError: null, failures: 0, etag: null, lastModified: null, remember: [] };
  }

  async function serveWebhook(
    row: ScheduleRow,
    poll: ClaimedPoll,
    _spec: ScheduleSpec,
    signal: AbortSignal,
    stopping: AbortSignal,
  ): Promise<PollOutcome> {
    const config = isObject(row.spec) ? row.spec : {};
    const { workflowId, nodeId } = row;
    const pack = findPackTrigger(await deps.types(), config);
    const webhook = findPackWebhook(await deps.types(), config);
    if (pack === null || webhook === null)
      return postponePoll(poll, clock.now(), 'This version of the pack is not installed.');
    const isApp = webhook.strategy === 'app_webhook';
    if (isApp && poll.cursor === null && (await deps.packApps.get(pack.pack)) === null)
      return postponePoll(
        poll,
        clock.now(),
        `The app of the pack ${pack.pack} is not set up: an administrator must enter its signing secret.`,
      );
    if (deps.toPackUrl('') === null)
      return postponePoll(poll, clock.now(), 'WEFT_PUBLIC_URL is not set, so no service can send requests.');
    // The trigger must learn what it registered, even if its workflow changes meanwhile.
    const ending = poll.cursor === null ? stopping : signal;
    const renewal: Renewal | null = isApp
      ? { hook: 'enable' }
      : webhook.renewal === null
        ? null
        : { hook: 'renew', cron: webhook.renewal };
    const served = await servePackWebhook(config, poll, renewal, clock.now(), {
      async register() {
        const fresh = isApp ? createListenerAddress(deps.token()) : deps.token();
        const registered = await deps.packTriggers.register(poll, fresh);
        if (registered === null) throw new ClaimLost();
        return registered === 'waiting' ? null : registered.address;
      },
      toUrl: (address) => (isApp ? '' : (deps.toPackUrl(address) ?? '')),
      async call(trigger) {
        const context = { row, signal: ending, now: clock.now() };
        const value = await ask(createPackAttempt(context, pack.createCall(trigger)), ending);
        if (isApp && trigger.hook === 'enable' && readTriggerResult(value).listeners.length === 0)
          throw new PollFailure('The trigger names no events of an account.');
        return value;
      },
      firstRequest: () => deps.packTriggers.firstRequest(workflowId, nodeId),
      seen: (digests) => polls.filterSeen(workflowId, nodeId, digests),
      start: (items) => startAll(deps, row, poll, items, signal),
    });
    const { hasCapacity, takes: processed, next, enabled, ...end } = served;
    const now = clock.now();
    return {
      ...end,
      next: hasCapacity ? next : now + RETRY_DELAY_MS,
      failures: 0,
      etag: null,
      lastModified: null,
      remember: [],
      // Without capacity, the request that waits must not make the trigger due at once.
      ...(hasCapacity ? { received: { processed, now } } : {}),
      ...(isApp && enabled !== null ? { listens: { pack: pack.pack, ...enabled } } : {}),
    };
  }

  /** The workflow changed during the poll. What the poll registered is removed. */
  async function undo(row: ScheduleRow, poll: ClaimedPoll, { cursor }: PollOutcome): Promise<void> {
    if (!isPackWebhook(row) || poll.cursor !== null || cursor === null) return;
    const { workflowId, nodeId, ownerId, version, spec } = row;
    const { address } = readCursor(cursor);
    await deps.packTriggers.removeLater({ address, workflowId, nodeId, ownerId, version, spec, cursor });
    deps.removalAdded();
  }

  /** The times of a trigger that receives requests are those of its requests. */
  function readTimes(row: ScheduleRow, spec: JsonObject): ReturnType<typeof readSchedule> {
    return isPackWebhook(row) ? NO_TIMES : readSchedule(spec, deps.timezone);
  }

  async function ask(attempt: Attempt, signal: AbortSignal): Promise<Json> {
    const outcome = await deps.runner.run(attempt);
    if (signal.aborted) throw new ClaimLost();
    if (outcome.kind === 'done') return outcome.outputs['out'] ?? null;
    if (outcome.kind === 'failed') throw new PollFailure(outcome.error.message, outcome.error);
    if (outcome.kind === 'deferred') throw new PollFailure('The poll could not run now; it will be retried.');
    throw new PollFailure('It produced no result.');
  }

  /** Returns each item once, with its key; yields to the event loop in between. */
  async function keyed(items: readonly Json[], key: Json | undefined, now: number): Promise<PolledItem[]> {
    const read = createKeyReader(typeof key === 'string' ? key : undefined);
    const found = new Map<string, PolledItem>();
    for (const [i, item] of items.entries()) {
      if (i % ITEMS_PER_SLICE === ITEMS_PER_SLICE - 1)
        await new Promise<void>((resolve) => clock.soon(resolve));
      const one = createPolledItem(item, read(item, i, now));
      if (!found.has(one.digest)) found.set(one.digest, one);
    }
    return [...found.values()];
  }

  async function noteFailure(
    row: ScheduleRow,
    poll: ClaimedPoll,
    spec: ScheduleSpec | null,
    error: unknown,
  ): Promise<void> {
    const issue = describePollError(error);
    if (issue === null) deps.report('a poll could not be served', error);
    const lastError = issue ?? 'It failed with an internal error; see the server log.';
    const failures = poll.failures + 1;
    const wish = error instanceof PollFailure ? (error.failure.retryAfter ?? 0) : 0;
    const backoff = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
    const now = clock.now();
    const from = now + Math.max(backoff, Math.min(wish, MAX_RETRY_AFTER_MS));
    const { number, etag, lastModified, cursor } = poll;
    const isNoted = await polls.settle(poll, {
      next: isPackWebhook(row) ? from : spec === null ? null : computeNextTime(spec, poll.dueAt, from),
      lastError,
      failures,
      number,
      etag,
      lastModified,
      cursor,
      remember: [],
      listed: null,
    });
    if (isNoted && row.lastError !== lastError) reportFailure(row, lastError);
  }

  function reportFailure(row: ScheduleRow, issue: string): void {
    const { ownerId, workflowId, nodeId } = row;
    const kind = isPackWebhook(row) ? 'webhook' : isMailbox(row) ? 'email' : 'polling';
    deps.failed({ ownerId, workflowId, nodeId, kind, issue });
  }

  // Requests that a stop aborts are repeated later.
  return createDueWork({
    due: (now, limit) => polls.due(now, limit),
    next: () => polls.next(),
    claim: (row, now) => polls.claim(row.workflowId, row.nodeId, row.nextRunAt ?? 0, now + limits.leaseMs),
    serve,
    maxConcurrency: limits.concurrentPolls,
    maxSleep: MAX_SLEEP_MS,
    retryDelay: RETRY_DELAY_MS,
    messages: { read: 'polling triggers could not be read', serve: 'a poll could not be served' },
    clock,
    report: (message, error) => deps.report(message, error),
  });
}

/** Returns a sentence for the owner; null for an internal error. */
function describePollError(error: unknown): string | null {
  if (error instanceof PollFailure || error instanceof ItemKeyError) return error.message;
  if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') return error.message;
  // The key expression cannot be evaluated for the item.
  if (error instanceof Error && error.name === 'TemplateEvaluationError') return `key: ${error.message}`;
  return null;
}

/** Returns the first regular time after `from`; an interval keeps its phase. */
function computeNextTime(spec: ScheduleSpec, due: number, from: number): number | null {
  return listTicksUntil(spec, Math.min(due, from), from).next;
}
