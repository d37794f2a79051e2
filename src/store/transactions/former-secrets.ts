import * as secrets from '../queries/accounts/secrets.ts';
import { selectFirst, lock, type Statement, type Transaction } from '../statement.ts';
import { ownerLock } from './locks.ts';

/** Maximum per owner: each former secret slows down every response. */
const MAX_FORMER_SECRETS = 500;

/** Keeps encrypted values that end now, by the names under which they are encrypted. */
export function* keepFormerSecrets(
  ownerId: string,
  ended: readonly { name: string; value: string }[],
  at: number,
): Transaction<void> {
  if (ended.length === 0) return;
  yield* lock(ownerLock('secrets', ownerId));
  const last = yield* selectFirst<{ seq: number | null }>(secrets.formerSeq, ownerId);
  const seq = Number(last?.seq ?? 0);
  const inserts: Statement[] = ended.map(({ name, value }, i) => ({
    sql: secrets.addFormer,
    params: [ownerId, seq + 1 + i, name, value, at],
  }));
  yield [...inserts, { sql: secrets.dropFormer, params: [ownerId, seq + ended.length - MAX_FORMER_SECRETS] }];
}
