import { createInProcessBuses } from '../../coordination/in-process/bus.ts';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLoginThrottle } from '../../auth/login-throttle.ts';
import { createPasswords, type Passwords } from '../../auth/passwords.ts';
import { createPrincipalCache } from '../../auth/principal-cache.ts';
import { createSessionTokens } from '../../auth/session-token.ts';
import type { WeftError } from '../../contract/errors.ts';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import { createTempStore } from '../../../test/support/temporary-store.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import { createAuthService } from './auth.service.ts';

test('existing and unknown emails get the same work, the same messages and the same delays', async () => {
  const kept = await createTempStore();
  try {
    const clock = new ManualClock();
    const real = createPasswords();
    const reads: string[] = [];
    let readAt = 0;
    const verified: string[] = [];
    const passwords: Passwords = {
      hash: (password) => real.hash(password),
      verify(stored, password) {
        verified.push(password);
        return real.verify(stored, password);
      },
    };
    const { accounts } = kept.store;
    const counted = new Proxy(accounts, {
      get(target, name: keyof AccountStore) {
        reads.push(name);
        readAt = clock.now();
        return target[name];
      },
    });
    const throttle = createLoginThrottle({
      bus: createInProcessBuses(() => {}).join(),
      store: kept.store.throttling,
      clock,
      key: randomBytes(32),
      report: () => {},
    });
    const auth = createAuthService({
      accounts: counted,
      passwords,
      tokens: createSessionTokens(randomBytes(32)),
      cache: createPrincipalCache(),
      throttle,
      audit: createAuditLog({
        store: kept.store.audit,
        ids: { next: (kind) => `${kind}_${reads.length}` },
        clock,
        report: () => {},
      }),
      ids: { next: (kind) => kind },
      now: () => clock.now(),
      firstUser: Promise.resolve(),
    });
    await accounts.createUser({
      id: 'usr_1',
      email: 'known@example.com',
      name: '',
      passwordHash: await real.hash('the right password'),
      role: 'member',
      plan: 'standard',
      createdAt: 1,
    });

    const origin = { address: '192.0.2.1', userAgent: null };
    /** What a caller and this process see of eight failed tries. */
    async function eightTries(email: string) {
      const seen: unknown[] = [];
      for (let i = 0; i < 8; i++) {
        reads.length = verified.length = 0;
        const began = clock.now();
        const responses: WeftError[] = [];
        const login = auth.login({ email, password: `wrong ${i}` }, origin).catch((error: WeftError) => {
          responses.push(error);
        });
        while (responses.length === 0) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          // The clock moves while a try waits for its turn, not while it is looked at.
          if (responses.length === 0 && reads.length === 0) clock.advance(100);
        }
        await login;
        const { code, message, details } = responses[0]!;
        const waited = readAt - began;
        seen.push({
          code,
          message,
          details,
          reads: [...reads],
          verified: [...verified],
          slowed: waited >= 500,
        });
      }
      return seen;
    }

    const known = await eightTries('known@example.com');
    const unknown = await eightTries('nobody@example.com');
    expect(known).toEqual(unknown);
    expect(known[0]).toEqual({
      code: 'UNAUTHORIZED',
      message: 'The email or the password is wrong.',
      details: {},
      reads: ['userByEmail'],
      verified: ['wrong 0'],
      slowed: false,
    });
    expect(known.map((each) => (each as { slowed: boolean }).slowed)).toEqual([
      ...Array<boolean>(5).fill(false),
      ...Array<boolean>(3).fill(true),
    ]);
    await throttle.close();
    const rows = await kept.store.throttling.loginFailures(0, 9);
    expect(rows.map((row) => row.count)).toEqual([8, 8]);
  } finally {
    await kept.close();
  }
});
