import type { PackTriggerHook } from '../../contract/packs/pack-call.ts';
import { createActionContext, refuseCall, toActionAuth } from './action-context.ts';
import { MAX_LISTENERS, MAX_TRIGGER_STATE_LENGTH, type PackInput } from './pack-messages.ts';
import { toItem, type Item, type Piece } from './piece.ts';

/* In the process of a pack: runs a function of a trigger. */

const FUNCTIONS: Readonly<Record<PackTriggerHook, string>> = {
  enable: 'onEnable',
  poll: 'run',
  disable: 'onDisable',
  renew: 'onRenew',
  handshake: 'onHandshake',
};

/** The service stores the state, and passes it to the next call. */
export async function runTrigger(
  piece: Piece,
  name: string,
  hook: PackTriggerHook,
  { auth, state, webhookUrl = '', payload = {}, ...input }: PackInput,
): Promise<{ items: unknown[]; state: Item; response: unknown; listeners: Item[] }> {
  const trigger = toItem(piece.triggers()[name]);
  const run = trigger[FUNCTIONS[hook]];
  if (typeof run !== 'function') throw new Error(`It has no trigger ${name} with ${FUNCTIONS[hook]}`);
  const values = new Map<string, unknown>(Object.entries(state));
  const listeners: Item[] = [];
  const { context } = createActionContext({ ...input, auth: toActionAuth(piece, auth) });
  const result: unknown = await (run as (context: unknown) => unknown).call(trigger, {
    ...context,
    store: createTriggerStore(values),
    webhookUrl,
    payload,
    app: {
      createListeners:
        trigger['type'] === 'APP_WEBHOOK' && hook === 'enable'
          ? (wanted: unknown) => addListeners(listeners, toItem(wanted))
          : refuseCall('app.createListeners'),
    },
    setSchedule: refuseCall('setSchedule'),
  });
  const kept = Object.fromEntries(values);
  const text = JSON.stringify(kept);
  if (Buffer.byteLength(text) > MAX_TRIGGER_STATE_LENGTH)
    throw new Error(`The trigger keeps more than ${MAX_TRIGGER_STATE_LENGTH} bytes of JSON`);
  if (hook === 'handshake') {
    // Another call may be changing the state at this moment.
    if (text !== JSON.stringify(state))
      throw new Error('The trigger changes its store in onHandshake, which Weft does not support');
    return { items: [], state: kept, response: result ?? null, listeners };
  }
  if (hook !== 'poll') return { items: [], state: kept, response: null, listeners };
  if (!Array.isArray(result)) throw new Error('The trigger returned no list of items');
  return { items: result as unknown[], state: kept, response: null, listeners };
}

function addListeners(listeners: Item[], { events, identifierValue }: Item): void {
  if (!Array.isArray(events) || typeof identifierValue !== 'string' || identifierValue === '')
    throw new Error('The trigger names no events of an account');
  for (const event of events as unknown[]) listeners.push({ event, identifier: identifierValue });
  if (listeners.length > MAX_LISTENERS)
    throw new Error(`The trigger names more than ${MAX_LISTENERS} events`);
}

/** Values of the scope PROJECT belong to the trigger, too: triggers do not share state. */
function createTriggerStore(values: Map<string, unknown>): Item {
  const toKey = (key: unknown, scope: unknown) =>
    `${scope === 'COLLECTION' ? 'project' : 'flow'}:${String(key)}`;
  return {
    get: (key: unknown, scope?: unknown) => Promise.resolve(values.get(toKey(key, scope)) ?? null),
    put: (key: unknown, value: unknown, scope?: unknown) => {
      // A copy: the trigger may change its object later.
      values.set(toKey(key, scope), JSON.parse(JSON.stringify(value ?? null)));
      return Promise.resolve(value);
    },
    delete: (key: unknown, scope?: unknown) => {
      values.delete(toKey(key, scope));
      return Promise.resolve();
    },
  };
}
