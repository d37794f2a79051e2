import * as meta from '../queries/meta.ts';
import { change, selectFirst, type Transaction } from '../statement.ts';

export function* readMeta(name: string): Transaction<string | null> {
  return (yield* selectFirst<{ value: string }>(meta.get, name))?.value ?? null;
}

/** The first value is kept. */
export function* identity(candidate: string): Transaction<string> {
  yield* change(meta.putNew, 'identity', candidate);
  return (yield* readMeta('identity')) ?? candidate;
}

export function* writeMeta(name: string, value: string): Transaction<void> {
  yield* change(meta.put, name, value);
}
