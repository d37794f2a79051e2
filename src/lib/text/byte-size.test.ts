import { expect, test } from 'vitest';
import { formatByteSize } from './byte-size.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [48_213, '48.2 kB'],
  [999_960, '1.0 MB'],
  [16_777_216, '16.8 MB'],
  [5_000_000_000_000, '5000.0 GB'],
])('%i bytes are %s', (size, text) => {
  expect(formatByteSize(size)).toBe(text);
});
