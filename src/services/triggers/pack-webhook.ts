import { WeftError } from '../../contract/errors.ts';
import type { PackListener, PackTriggerCall } from '../../contract/packs/pack-call.ts';
import { readTriggerResult } from '../../contract/packs/read-trigger-result.ts';
import { TemplateEvaluationError } from '../../expressions/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { PackRequest } from '../../ports/store/pack-triggers.ts';
import type { ClaimedPoll, PollOutcome } from '../../ports/store/polling.ts';
import { readPayload } from '../pack-webhooks/pack-payload.ts';
import type { CursorResult } from './mailbox-poll.ts';
import { ItemKeyError, createKeyReader, createPolledItem, type PolledItem } from './poll-items.ts';
import { PollFailure } from './poll-starts.ts';
import { readSchedule } from './schedule-times.ts';

/** ms after which an idle trigger is served again. */
const IDLE_MS = 3_600_000;
/** Delay after a poll that could not begin, ms. */
const POSTPONED_MS = 60_000;
/** Calls for one request, after which it is discarded. */
const MAX_TRIES = 8;
/** ms until a failed renewal of a registration is tried again. */
const RENEWAL_RETRY_MS = 300_000;
/** ms after which a trigger names its account again, whose credential may have been replaced. */
const APP_RENEWAL_MS = 86_400_000;

/** How a registration is renewed: at the times of the pack, or once a day for events of an app. */
export type Renewal = { hook: 'renew'; cron: string } | { hook: 'enable' };

export type PackWebhookSteps = {
  /**
   * Chooses the address for a call that enables the trigger. Null: the former registration must be removed
   * first.
   */
  register(): Promise<string | null>;
  /** Empty for a trigger whose requests arrive at the address of its pack. */
  toUrl(address: string): string;
  call(trigger: PackTriggerCall): Promise<Json>;
  firstRequest(): Promise<PackRequest | null>;
  seen(digests: readonly string[]): Promise<string[]>;
  /** Starts an execution for each item. False: capacity did not suffice for all of them. */
  start(items: readonly PolledItem[]): Promise<boolean>;
};

/**
 * `takes`: the request that was processed. `next`: when the trigger is due, epoch ms. `lastError`: why it was
 * discarded. `enabled`: what the trigger listens to at the address of its pack; null when it was not asked.
 */
export type PackWebhookResult = CursorResult & {
  takes: PackRequest | null;
  next: number;
  lastError: string | null;
  enabled: { address: string; listeners: PackListener[] } | null;
};

/** The cursor of the poll. `renewAt`: when the registration is renewed, epoch ms; null: never. */
type Cursor = { address: string; state: JsonObject; renewAt: number | null };

export function readCursor(text: string): Cursor {
  return JSON.parse(text) as Cursor;
}

/**
 * Serves a trigger of a pack that receives requests: enables it, renews its registration, or processes the
 * request that was received first. The request is removed with the change of the state, after all of its
 * items were started. Until then, the call is repeated with the former state, and items that were started are
 * recognized.
 *
 * A call that enables the trigger has an address of its own unless no service knows the former one. So
 * requests to the address of an interrupted call, which the service may know, are refused and start nothing
 * twice.
 */
export async function servePackWebhook(
  spec: JsonObject,
  { cursor, number, failures }: ClaimedPoll,
  renewal: Renewal | null,
  now: number,
  steps: PackWebhookSteps,
): Promise<PackWebhookResult> {
  const result = (change: Partial<PackWebhookResult>, kept: Cursor | null): PackWebhookResult => ({
    cursor: kept === null ? null : JSON.stringify(kept),
    listed: [],
    number,
    hasCapacity: true,
    takes: null,
    lastError: null,
    enabled: null,
    ...change,
    next: Math.min(now + IDLE_MS, kept?.renewAt ?? Infinity),
  });
  if (cursor === null) {
    const address = await steps.register();
    if (address === null) return result({ hasCapacity: false }, null);
    const call = { hook: 'enable', state: {}, webhookUrl: steps.toUrl(address) } as const;
    const { state, listeners } = readTriggerResult(await steps.call(call));
    const enabled = { address, listeners };
    return result({ number: number + 1, enabled }, { address, state, renewAt: findRenewal(renewal, now) });
  }
  let kept = readCursor(cursor);
  const { address, renewAt } = kept;
  const common = { state: kept.state, webhookUrl: steps.toUrl(address) };
  let lastError: string | null = null;
  if (renewAt !== null && renewAt <= now) {
    try {
      const hook = renewal?.hook ?? 'renew';
      const { state, listeners } = readTriggerResult(await steps.call({ ...common, hook }));
      const enabled = hook === 'enable' ? { address, listeners } : null;
      return result({ number: number + 1, enabled }, { address, state, renewAt: findRenewal(renewal, now) });
    } catch (error) {
      if (!(error instanceof PollFailure)) throw error;
      // Requests that were acknowledged must not wait for the renewal.
      lastError = `The registration could not be renewed: ${error.message}`;
      kept = { ...kept, renewAt: now + RENEWAL_RETRY_MS };
    }
  }
  const request = await steps.firstRequest();
  if (request === null) return result({ lastError }, kept);
  try {
    const payload = await readPayload(request.request);
    const { items, state } = readTriggerResult(await steps.call({ ...common, hook: 'poll', payload }));
    const found = identifyItems(items, spec['key'], request, now);
    const listed = found.map(({ digest }) => digest);
    const seen = new Set(await steps.seen(listed));
    const hasCapacity = await steps.start(found.filter(({ digest }) => !seen.has(digest)));
    if (!hasCapacity) return result({ listed, hasCapacity, lastError }, kept);
    return result({ number: number + 1, listed, takes: request, lastError }, { ...kept, state });
  } catch (error) {
    if (failures + 1 < MAX_TRIES || !isRequestError(error)) throw error;
    const at = new Date(request.receivedAt).toISOString();
    const issue = `The request that was received at ${at} was discarded after ${MAX_TRIES} attempts: ${error.message}`;
    return result({ number: number + 1, takes: request, lastError: issue }, kept);
  }
}

/** Ends a poll that could not begin. It is not a failed attempt at the request that was received first. */
export function postponePoll({ cursor, number }: ClaimedPoll, now: number, lastError: string): PollOutcome {
  const kept = { cursor, number, etag: null, lastModified: null, listed: [], remember: [] };
  return { ...kept, next: now + POSTPONED_MS, lastError, failures: 0 };
}

/** Whether an error is due to the request or the pack, so that others must not wait for it. */
function isRequestError(error: unknown): error is Error {
  return (
    error instanceof PollFailure ||
    error instanceof ItemKeyError ||
    error instanceof TemplateEvaluationError ||
    (error instanceof WeftError && (error.code === 'VALIDATION_ERROR' || error.code === 'PAYLOAD_TOO_LARGE'))
  );
}

/**
 * Without a key of the user, an item is identified by its request and its position: the content may depend on
 * what the trigger keeps. A delivery that the sender repeats has the same items.
 */
function identifyItems(
  items: readonly Json[],
  key: Json | undefined,
  { id, receivedAt, request }: PackRequest,
  now: number,
): PolledItem[] {
  if (items.length > limits.polledItems)
    throw new PollFailure(`The trigger returned more than ${limits.polledItems} items.`);
  const { delivery } = request;
  const origin = typeof delivery === 'string' ? delivery : id;
  const read = typeof key === 'string' ? createKeyReader(key) : null;
  const found = new Map<string, PolledItem>();
  for (const [i, item] of items.entries()) {
    const one = createPolledItem(item, read === null ? `${origin}:${i}` : read(item, i, now));
    if (!found.has(one.digest)) found.set(one.digest, { ...one, receivedAt });
  }
  return [...found.values()];
}

/** @throws {PollFailure} */
function findRenewal(renewal: Renewal | null, now: number): number | null {
  if (renewal === null) return null;
  if (renewal.hook === 'enable') return now + APP_RENEWAL_MS;
  const { cron } = renewal;
  const schedule = readSchedule({ cron, timezone: 'UTC' }, 'UTC');
  if (Array.isArray(schedule))
    throw new PollFailure(`The pack renews its registration at times that cannot be read: ${cron}`);
  return schedule.next(now);
}
