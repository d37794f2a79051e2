import { expect, test } from 'vitest';
import { chooseSeed, createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { createJsonRedactor, type JsonRedactor } from '../../credentials/redaction.ts';
import { GrowingRedaction } from './growing-redaction.ts';

const SECRETS = ['hunter2-secret', 'secret-of-another', 'https://x.test/?key=a-long-token-value'];
const redact = createJsonRedactor(SECRETS);

test('pieces of any size show the same as one piece, and never a part of a secret', () => {
  const seed = chooseSeed('FUZZ_SEED');
  const random = createSeededRandom(seed);
  for (let round = 0; round < 30; round++) {
    const parts = Array.from({ length: 20 + random.int(200) }, () =>
      random.pick([...SECRETS, 'hunter2-secret-of-another', 'hunter2-sec', 'plain words ', '… ', '😀', 'h']),
    );
    const whole = parts.join('');
    const growing = new GrowingRedaction(redact);
    let shown = '';
    for (let at = 0; at < whole.length;) {
      const piece = whole.slice(at, at + 1 + random.int(40));
      at += piece.length;
      const added = growing.append(piece);
      shown = added === null ? growing.shown : shown + added;
      expect(shown, `seed ${seed}`).toBe(growing.shown);
      const atOnce = new GrowingRedaction(redact);
      atOnce.append(whole.slice(0, at));
      expect(shown, `seed ${seed}`).toBe(atOnce.shown);
      for (const secret of SECRETS) expect(shown, `seed ${seed}`).not.toContain(secret);
    }
  }
});

test('the work for a long text grows with its length', () => {
  const countFor = (length: number): number => {
    let redacted = 0;
    const counting: JsonRedactor = Object.assign(
      <T>(value: T): T => {
        redacted += String(value).length;
        return redact(value);
      },
      { maxLength: redact.maxLength },
    );
    const growing = new GrowingRedaction(counting);
    for (let at = 0; at < length; at += 5) growing.append('word ');
    expect(growing.shown.length).toBe(length - 3);
    return redacted;
  };
  expect(countFor(200_000)).toBeLessThan(11 * countFor(20_000));
});
