import { hash } from 'node:crypto';
import type { Scalar } from '../statement.ts';

/**
 * A checksum over rows that does not depend on their order: a missing, changed or duplicate row changes it.
 */
export function addRows(sum: bigint, rows: readonly (readonly Scalar[])[]): bigint {
  let total = sum;
  for (const row of rows) {
    const digest = hash('sha256', JSON.stringify(row), 'buffer');
    total += digest.readBigUInt64BE(0) + (digest.readBigUInt64BE(8) << 64n);
  }
  return BigInt.asUintN(128, total);
}
