import { randomBytes } from 'node:crypto';
import { WeftError } from '../contract/errors.ts';

/** Argon2id at 19 MiB, two passes, one lane (OWASP's first choice). The algorithm is the library's default. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Hashes computed at once: each holds 19 MiB and a thread. */
const AT_ONCE = 2;
const MAX_QUEUED = 64;

export type Passwords = {
  hash(password: string): Promise<string>;
  /** A null hash (no such user) takes the same time and is never right. Throws RATE_LIMITED when too many wait. */
  verify(stored: string | null, password: string): Promise<boolean>;
};

export function createPasswords(): Passwords {
  const waiting: (() => void)[] = [];
  let active = 0;
  const nobody = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${random(16)}$${random(32)}`;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (active >= AT_ONCE) {
      if (waiting.length >= MAX_QUEUED) {
        throw new WeftError('RATE_LIMITED', 'Too many passwords are being checked at once.', {
          reason: 'capacity',
          retry_after: 1,
        });
      }
      // Whoever ends hands its place on, so `active` stays as it is.
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
    hash: (password) => inTurn(async () => (await argon2()).hash(normal(password), COST)),
    verify: (stored, password) =>
      inTurn(async () => (await argon2()).verify(stored ?? nobody, normal(password))),
  };
}

/** Loaded with the first password: few starts meet one. */
const argon2 = () => import('@node-rs/argon2');

/** The same password typed on another system may arrive composed differently. */
function normal(password: string): string {
  return password.normalize('NFKC');
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '');
}
