/** A finite number by its decimal notation: `digits` times ten to the power of `exponent`. */
function toDecimal(value: number): { digits: bigint; exponent: number } {
  const [, sign = '', whole = '0', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return { digits: BigInt(sign + whole + part), exponent: Number(power) - part.length };
}

/**
 * Whether `value` is a multiple of `of` by their decimal notation: 19.99 is 1,999 times 0.01. Both are
 * finite; nothing is a multiple of 0.
 */
export function isMultipleOf(value: number, of: number): boolean {
  if (of === 0) return false;
  const a = toDecimal(value);
  const b = toDecimal(of);
  const least = Math.min(a.exponent, b.exponent);
  return (
    (a.digits * 10n ** BigInt(a.exponent - least)) % (b.digits * 10n ** BigInt(b.exponent - least)) === 0n
  );
}
