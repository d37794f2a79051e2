import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords();

test('argon2id at the cost we promise, salted', async () => {
  const stored = await passwords.hash('correct horse');
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.hash('correct horse')).not.toBe(stored);
  expect(await passwords.verify(stored, 'correct horse')).toBe(true);
  expect(await passwords.verify(stored, 'Correct horse')).toBe(false);
  expect(await passwords.verify(null, 'correct horse')).toBe(false);
});

test('the same characters composed differently are the same password', async () => {
  expect(await passwords.verify(await passwords.hash('p\u00e4sswort'), 'pa\u0308sswort')).toBe(true);
});

test('two are computed at once, 64 wait, the next is refused, and all places come back', async () => {
  const stored = await passwords.hash('x');
  const results = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.verify(stored, 'x')));
  expect(results.filter((one) => one.status === 'fulfilled' && one.value)).toHaveLength(66);
  const refused = results.filter((one) => one.status === 'rejected');
  expect(refused).toHaveLength(4);
  expect(refused[0]!.reason).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'capacity' } });
  expect(await passwords.verify(stored, 'x')).toBe(true);
});
