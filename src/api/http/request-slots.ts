import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the requests that are open at the same time: in total, and of one user. `message` is that of the
 * error.
 */
export function createRequestSlots(limit: {
  readonly total: number;
  readonly perUser: number;
  readonly message: string;
}) {
  const open = new Map<string, number>();
  let total = 0;
  return {
    /** Counts a request until the returned function is called. @throws {WeftError} RATE_LIMITED */
    enter({ userId }: Principal): () => void {
      const own = open.get(userId) ?? 0;
      if (total >= limit.total || own >= limit.perUser)
        throw new WeftError('RATE_LIMITED', limit.message, {
          reason: 'capacity',
          retry_after: RETRY_AFTER_SECONDS,
        });
      total++;
      open.set(userId, own + 1);
      return () => {
        total--;
        const rest = (open.get(userId) ?? 1) - 1;
        if (rest === 0) open.delete(userId);
        else open.set(userId, rest);
      };
    },
  };
}
