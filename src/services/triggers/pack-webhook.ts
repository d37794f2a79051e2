import type { PackTriggerCall, PackTriggerResult } from '../../contract/packs/pack-call.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { PackRequest } from '../../ports/store/pack-triggers.ts';
import type { Poll } from '../../ports/store/polling.ts';
import { readPayload } from '../pack-webhooks/pack-payload.ts';
import type { CursorResult } from './mailbox-poll.ts';
import { readTriggerResult } from './pack-poll.ts';
import { ItemKeyError, keyReader, polledItem, type PolledItem } from './poll-items.ts';
import { PollFailure } from './poll-starts.ts';
import { readSchedule } from './schedule-times.ts';

/** ms after which an idle trigger is served again. */
const IDLE_MS = 3_600_000;
/** Calls for one request, after which it is discarded. */
const MAX_TRIES = 8;

export type PackWebhookSteps = {
  /**
   * Chooses the address for a call that enables the trigger. Null: the former registration must be removed
   * first.
   */
  register(): Promise<string | null>;
  toUrl(address: string): string;
  call(trigger: PackTriggerCall): Promise<Json>;
  firstRequest(): Promise<PackRequest | null>;
  seen(digests: readonly string[]): Promise<string[]>;
  /** Starts an execution for each item. False: capacity did not suffice for all of them. */
  start(items: readonly PolledItem[]): Promise<boolean>;
};

/**
 * `takes`: the request that was processed. `next`: when the trigger is due, epoch ms. `lastError`: why it was
 * discarded.
 */
export type PackWebhookResult = CursorResult & {
  takes: PackRequest | null;
  next: number;
  lastError: string | null;
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
  { cursor, number, failures }: Poll,
  renewal: string | null,
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
    ...change,
    next: Math.min(now + IDLE_MS, kept?.renewAt ?? Infinity),
  });
  if (cursor === null) {
    const address = await steps.register();
    if (address === null) return result({ hasCapacity: false }, null);
    const call = { hook: 'enable', state: {}, webhookUrl: steps.toUrl(address) } as const;
    const { state } = readTriggerResult(await steps.call(call));
    return result({ number: number + 1 }, { address, state, renewAt: findRenewal(renewal, now) });
  }
  const kept = readCursor(cursor);
  const { address, renewAt } = kept;
  const common = { state: kept.state, webhookUrl: steps.toUrl(address) };
  if (renewAt !== null && renewAt <= now) {
    const { state } = readTriggerResult(await steps.call({ ...common, hook: 'renew' }));
    return result({ number: number + 1 }, { address, state, renewAt: findRenewal(renewal, now) });
  }
  const request = await steps.firstRequest();
  if (request === null) return result({}, kept);
  let called: PackTriggerResult;
  let found: PolledItem[];
  try {
    const payload = await readPayload(request.request);
    called = readTriggerResult(await steps.call({ ...common, hook: 'poll', payload }));
    found = identifyItems(called.items, spec['key'], request, now);
  } catch (error) {
    const isLast = failures + 1 >= MAX_TRIES;
    if (!isLast || !(error instanceof PollFailure || error instanceof ItemKeyError)) throw error;
    const at = new Date(request.receivedAt).toISOString();
    const lastError = `The request that was received at ${at} was discarded after ${MAX_TRIES} attempts: ${error.message}`;
    return result({ number: number + 1, takes: request, lastError }, kept);
  }
  const listed = found.map(({ digest }) => digest);
  const seen = new Set(await steps.seen(listed));
  const hasCapacity = await steps.start(found.filter(({ digest }) => !seen.has(digest)));
  if (!hasCapacity) return result({ listed, hasCapacity }, kept);
  return result({ number: number + 1, listed, takes: request }, { ...kept, state: called.state });
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
  const read = typeof key === 'string' ? keyReader(key) : null;
  const found = new Map<string, PolledItem>();
  for (const [i, item] of items.entries()) {
    const one = polledItem(item, read === null ? `${origin}:${i}` : read(item, i, now));
    if (!found.has(one.digest)) found.set(one.digest, { ...one, receivedAt });
  }
  return [...found.values()];
}

/** @throws {PollFailure} */
function findRenewal(cron: string | null, now: number): number | null {
  if (cron === null) return null;
  const schedule = readSchedule({ cron, timezone: 'UTC' }, 'UTC');
  if (Array.isArray(schedule))
    throw new PollFailure(`The pack renews its registration at times that cannot be read: ${cron}`);
  return schedule.next(now);
}
