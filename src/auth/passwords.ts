import { randomBytes } from 'node:crypto';
import { WeftError } from '../contract/errors.ts';

/**
 * Argon2id with 19 MiB, two passes, one lane (OWASP's first choice). The algorithm is the library's default.
 */
const HASH_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Maximum number of concurrent hashes: each takes 19 MiB and a thread. */
const MAX_CONCURRENCY = 2;
const MAX_QUEUED = 64;

export type Passwords = {
  hash(password: string): Promise<string>;
  /**
   * A null hash (no such user) takes the same time and is never correct. Throws RATE_LIMITED when too many
   * wait.
   */
  verify(stored: string | null, password: string): Promise<boolean>;
};

export function createPasswords(): Passwords {
  const waiting: (() => void)[] = [];
  let active = 0;
  const DUMMY_HASH = `$argon2id$v=19$m=${HASH_COST.memoryCost},t=${HASH_COST.timeCost},p=${HASH_COST.parallelism}$${random(16)}$${random(32)}`;

  async function runLimited<T>(work: () => Promise<T>): Promise<T> {
    if (active >= MAX_CONCURRENCY) {
      if (waiting.length >= MAX_QUEUED) {
        throw new WeftError('RATE_LIMITED', 'Too many passwords are being checked at once.', {
          reason: 'capacity',
          retry_after: 1,
        });
      }
      // A completed hash passes its slot on, so `active` does not change.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else active++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) active--;
      else next();
    }
  }

  return {
    hash: (password) => runLimited(async () => (await argon2()).hash(normalizePassword(password), HASH_COST)),
    verify: (stored, password) =>
      runLimited(async () => (await argon2()).verify(stored ?? DUMMY_HASH, normalizePassword(password))),
  };
}

/** Loaded with the first password: most starts need none. */
const argon2 = () => import('@node-rs/argon2');

/** Normalizes Unicode: another system may compose the same characters differently. */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '');
}
