import { expect, test } from 'vitest';
import { readByteRange } from './byte-range.ts';

test('one byte range is returned; an invalid range, or several, return the whole', () => {
  const read = (header: string | undefined) => readByteRange(header, 10);
  expect(read('bytes=0-0')).toEqual({ start: 0, end: 1 });
  expect(read('bytes=2-5')).toEqual({ start: 2, end: 6 });
  expect(read('Bytes= 2-')).toEqual({ start: 2, end: 10 });
  expect(read('bytes=5-999999')).toEqual({ start: 5, end: 10 });
  expect(read('bytes=-3')).toEqual({ start: 7, end: 10 });
  expect(read('bytes=-99')).toEqual({ start: 0, end: 10 });
  for (const header of ['bytes=10-', 'bytes=10-12', 'bytes=-0']) expect(read(header)).toBe('outside');
  const ignored = [
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-2',
    'bytes=a-b',
    'bytes=0-1,3-4',
    'items=0-1',
  ];
  for (const header of [...ignored, `bytes=${'9'.repeat(16)}-`]) expect(read(header)).toBeNull();
  expect(readByteRange('bytes=0-', 0)).toBe('outside');
  expect(readByteRange('bytes=-1', 0)).toBe('outside');
});
