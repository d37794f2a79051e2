import { describe, expect, it } from 'vitest';
import type { NodeFailure } from '../../contract/node-type.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { errorHandler } from './error-handler.node.ts';

const timeout: NodeFailure = { type: 'timeout', message: 'No response.' };

/** The nominal delays of all retries that these strategies give for one failure again and again. */
function delays(...strategies: JsonObject[]): number[] {
  const used = new Map<number, number>();
  const found: number[] = [];
  for (;;) {
    const next = errorHandler.recover?.({ strategies }, timeout, (i) => used.get(i) ?? 0);
    if (next === null || next === undefined) return found;
    used.set(next.strategy, (used.get(next.strategy) ?? 0) + 1);
    found.push(next.delay);
  }
}
const retry = (more: JsonObject = {}): JsonObject => ({ errorType: '*', action: 'retry', ...more });

describe('recover', () => {
  it.each([
    [retry(), [1000, 2000, 4000]],
    [
      retry({ maxRetries: 8, backoffStrategy: 'exponential' }),
      [1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1000),
    ],
    [retry({ maxRetries: 3, backoffStrategy: 'fixed', delay: '250ms' }), [250, 250, 250]],
    [retry({ maxRetries: 4, backoffStrategy: 'linear', delay: '20s' }), [20_000, 40_000, 60_000, 60_000]],
    [retry({ maxRetries: 0 }), []],
    [retry({ errorType: 'network' }), []],
  ])('%j', (strategy, expected) => {
    expect(delays(strategy)).toEqual(expected);
  });

  it('uses the next strategy when the retries of one are exhausted, until one without a retry matches', () => {
    const once = (delay: string): JsonObject => retry({ maxRetries: 1, delay });
    expect(delays(once('1s'), { errorType: 'network', action: 'fail' }, once('2s'))).toEqual([1000, 2000]);
    expect(delays(once('1s'), { errorType: 'timeout', action: 'fail' }, once('2s'))).toEqual([1000]);
  });

  it('grows to its bound and no further, whatever the number', () => {
    expect(delays(retry({ maxRetries: 100, delay: '1m' }))).toEqual(Array<number>(100).fill(60_000));
  });
});
