import type { PackApp, PackAppStore, PackRequest } from '../../../ports/store/pack-triggers.ts';
import type { PollOutcome } from '../../../ports/store/polling.ts';
import * as queries from '../../queries/pack-apps.ts';
import * as packs from '../../queries/packs.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';
import { packsLock } from '../locks.ts';
import { findPackTrigger, receivePackRequest } from './pack-triggers.ts';

type AppRecord = { pack: string; address: string; secret: string; updated_at: number };
type Received = Awaited<ReturnType<PackAppStore['receive']>>;

function toApp(row: AppRecord | null): PackApp | null {
  if (row === null) return null;
  const { pack, address, secret, updated_at: updatedAt } = row;
  return { pack, address, secret, updatedAt };
}

export function* getPackApp(pack: string): Transaction<PackApp | null> {
  return toApp(yield* selectFirst<AppRecord>(queries.get, pack));
}

export function* findPackApp(address: string): Transaction<PackApp | null> {
  return toApp(yield* selectFirst<AppRecord>(queries.find, address));
}

export function* putPackApp({ pack, address, secret, updatedAt }: PackApp): Transaction<PackApp | null> {
  yield* lock(packsLock);
  if ((yield* selectFirst(packs.exists, pack)) === null) return null;
  yield* change(queries.put, pack, address, secret, updatedAt);
  return yield* getPackApp(pack);
}

export function* removePackApp(pack: string): Transaction<'removed' | 'missing' | number> {
  const listening = (yield* selectFirst<{ n: number }>(queries.countActive, pack))?.n ?? 0;
  if (listening > 0) return listening;
  return (yield* change(queries.remove, pack)) > 0 ? 'removed' : 'missing';
}

export function* receiveAppRequest(
  { pack, event, identifier, after }: Parameters<PackAppStore['receive']>[0],
  request: PackRequest,
  most: { requests: number; triggers: number },
): Transaction<Received> {
  const rows = yield* selectAll<{ address: string }>(
    queries.listAddresses,
    pack,
    event,
    identifier,
    after,
    most.triggers,
  );
  const received: Received = {
    last: rows.length < most.triggers ? null : rows.at(-1)!.address,
    stored: [],
    full: [],
  };
  for (const { address } of rows) {
    const row = yield* findPackTrigger(address);
    const result = yield* receivePackRequest(address, request, most.requests);
    if (row !== null && result !== 'unknown') received[result].push(row);
  }
  return received;
}

/** Replaces what a trigger listens to: its registration may have the address of a former one. */
export function* putPackListeners({
  pack,
  address,
  listeners,
}: NonNullable<PollOutcome['listens']>): Transaction<void> {
  yield* change(queries.removeListeners, address);
  for (const { event, identifier } of listeners)
    yield* change(queries.addListener, pack, event, identifier, address);
}
