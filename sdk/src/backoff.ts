/** The delay in ms before retry `n` (from 0): exponential, capped, with jitter of up to half of it. */
export function computeBackoff(n: number, first: number, most: number): number {
  const full = Math.min(most, first * 2 ** Math.min(n, 30));
  return full / 2 + (Math.random() * full) / 2;
}
