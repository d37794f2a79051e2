import type { NodeType } from '../../contract/node-type.ts';
import type { PackTriggerCall } from '../../contract/packs/pack-call.ts';
import { readTriggerResult } from '../../contract/packs/read-trigger-result.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { computeFingerprint } from '../../lib/json/canonical-json.ts';
import { DEFAULT_ITEMS } from '../../nodes/triggers/polling-config.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { ClaimedPoll } from '../../ports/store/polling.ts';
import type { CursorResult } from './mailbox-poll.ts';
import { createKeyReader, createPolledItem, type PolledItem } from './poll-items.ts';

type PackTriggerType = NonNullable<NodeType['packTrigger']>;
type PackWebhookDeclaration = NonNullable<ReturnType<PackTriggerType['webhooks']['get']>>;

export type PackSteps = {
  call(trigger: PackTriggerCall): Promise<Json>;
  seen(digests: readonly string[]): Promise<string[]>;
  /** Starts an execution for each item. False: capacity did not suffice for all of them. */
  start(items: readonly PolledItem[]): Promise<boolean>;
};

export function isPack({ spec }: ScheduleRow): boolean {
  return isObject(spec) && spec['triggerType'] === 'pack';
}

/** A trigger that receives requests. */
export function isPackWebhook({ spec }: Pick<ScheduleRow, 'spec'>): boolean {
  return isObject(spec) && spec['triggerType'] === 'pack' && spec['webhook'] === true;
}

/** The address of a trigger whose requests arrive at the address of its pack. No request has it. */
const APP_PREFIX = 'app.';

export function createListenerAddress(token: string): string {
  return APP_PREFIX + token;
}

export function isListenerAddress(address: string): boolean {
  return address.startsWith(APP_PREFIX);
}

/** What a trigger that receives requests declares. Null: this version of the pack is not installed. */
export function findPackWebhook(types: NodeTypes, spec: Json): PackWebhookDeclaration | null {
  const config = isObject(spec) && isObject(spec['config']) ? spec['config'] : {};
  const { event } = config;
  return typeof event === 'string' ? (findPackTrigger(types, spec)?.webhooks.get(event) ?? null) : null;
}

/** Null: this version of the pack is not installed. */
export function findPackTrigger(types: NodeTypes, spec: Json): PackTriggerType | null {
  const { node, version } = isObject(spec) ? spec : {};
  if (typeof node !== 'string' || typeof version !== 'string') return null;
  return types.get(node, version)?.packTrigger ?? null;
}

/**
 * One poll of a trigger of a pack. The first one enables the trigger, which then remembers what exists. The
 * state that the trigger keeps is stored only after all of its items were started. Until then, the next poll
 * repeats the call with the former state and the same number, by which items that were started are
 * recognized.
 */
export async function pollPackOnce(
  spec: JsonObject,
  { cursor, number }: ClaimedPoll,
  now: number,
  steps: PackSteps,
): Promise<CursorResult> {
  if (cursor === null) {
    const { state } = readTriggerResult(await steps.call({ hook: 'enable', state: {} }));
    return { cursor: JSON.stringify(state), listed: [], number: number + 1, hasCapacity: true };
  }
  const former = JSON.parse(cursor) as JsonObject;
  const { items, state } = readTriggerResult(await steps.call({ hook: 'poll', state: former }));
  const found = identify(items, spec['key'], number, now);
  const listed = found.map(({ digest }) => digest);
  const seen = new Set(await steps.seen(listed));
  const fresh = found.filter(({ digest }) => !seen.has(digest));
  const most = typeof spec['maxItems'] === 'number' ? spec['maxItems'] : DEFAULT_ITEMS;
  const hasCapacity = await steps.start(fresh.slice(0, most));
  return hasCapacity && fresh.length <= most
    ? { cursor: JSON.stringify(state), listed, number: number + 1, hasCapacity }
    : { cursor, listed, number, hasCapacity };
}

/**
 * Without a key of the user, an item is identified by its content, its place among equal items, and the
 * number of the poll: what the trigger reports again in a later poll is new.
 */
function identify(items: readonly Json[], key: Json | undefined, number: number, now: number): PolledItem[] {
  const found = new Map<string, PolledItem>();
  const read = typeof key === 'string' ? createKeyReader(key) : null;
  const counts = new Map<string, number>();
  // Triggers list the newest item first.
  for (const [i, item] of items.toReversed().entries()) {
    const content = read === null ? computeFingerprint(item) : read(item, i, now);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    const one = createPolledItem(item, read === null ? `${number}:${count}:${content}` : content);
    if (!found.has(one.digest)) found.set(one.digest, one);
  }
  return [...found.values()];
}
