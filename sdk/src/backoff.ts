/** ms before try `n` (from 0) is made again: doubling, capped, half of it by chance so that clients do not come in step. */
export function backoff(n: number, first: number, most: number): number {
  const full = Math.min(most, first * 2 ** Math.min(n, 30));
  return full / 2 + (Math.random() * full) / 2;
}
