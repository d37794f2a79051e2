import { describe, expect, test } from 'vitest';
import { useFileNodeFixture } from '../../../../test/support/file-node-fixture.ts';
import type { FileReference } from '../../../contract/byte-source.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { csv } from './csv.node.ts';

const files = useFileNodeFixture();
const parse = async (bytes: Uint8Array | string, config: JsonObject = {}): Promise<Json | undefined> =>
  files.output(csv, { operation: 'parse', ...config }, await files.store(bytes));
const failure = async (bytes: Uint8Array | string, config: JsonObject = {}) =>
  files.failure(csv, { operation: 'parse', ...config }, await files.store(bytes));

describe('csv parse of a file', () => {
  test.each([
    ['empty', '', {}, []],
    ['a header only', 'a,b\n', {}, []],
    ['a byte order mark', '\uFEFFa\r\n1', {}, [{ a: '1' }]],
    ['UTF-16', Buffer.from('\uFEFFa\nü', 'utf16le'), {}, [{ a: 'ü' }]],
    ['UTF-16, big-endian', Buffer.from('\uFEFFa\nü', 'utf16le').swap16(), {}, [{ a: 'ü' }]],
    ['windows-1252', Buffer.from([0x61, 0x0a, 0x80, 0xfc]), { encoding: 'windows-1252' }, [{ a: '€ü' }]],
    ['shift_jis', Buffer.from([0x61, 0x0a, 0x82, 0xa0]), { encoding: 'shift_jis' }, [{ a: 'あ' }]],
  ])('%s', async (_name, bytes, config, rows) => {
    expect(await parse(bytes, config as JsonObject)).toEqual(rows);
  });

  test('characters, quotes and line breaks at the edges of pieces', async () => {
    const cells = Array.from({ length: 40_000 }, (_, i) => (i % 3 === 0 ? `ü"\r\n${i}` : `😀,${i}`));
    const text = `x,y\r\n${cells.map((cell) => `"${cell.replaceAll('"', '""')}",1\r\n`).join('')}`;
    const rows = (await parse(text)) as { x: string; y: string }[];
    expect(rows.map(({ x }) => x)).toEqual(cells);
  });

  test.each([
    ['a,b\n1,2', ','],
    ['a;b\n"1,5";"2,5"\n"1,5";"3,5"', ';'],
    ['a\tb\n1,5\t2', '\t'],
    ['a|b\n1|2', '|'],
    ['a;b;c\n1,0;2,0;3,0\n4;5;6', ';'],
  ])('detects the delimiter of %j', async (text) => {
    const [row] = (await parse(text, { delimiter: 'auto' })) as object[];
    expect(Object.keys(row!).slice(0, 2)).toEqual(['a', 'b']);
  });

  test('one column has no delimiter to detect', async () => {
    expect(await parse('name\nAda\nBob', { delimiter: 'auto' })).toEqual([{ name: 'Ada' }, { name: 'Bob' }]);
  });

  test('offset and limit return every row once', async () => {
    const text = `n\n${Array.from({ length: 2_500 }, (_, i) => `${i}\n`).join('')}`;
    const seen: string[] = [];
    for (let offset = 0; ; offset += 1_000) {
      const rows = (await parse(text, { offset, limit: 1_000 })) as { n: string }[];
      seen.push(...rows.map(({ n }) => n));
      if (rows.length < 1_000) break;
    }
    expect(seen).toEqual(Array.from({ length: 2_500 }, (_, i) => String(i)));
    expect(await parse(text, { offset: 2_500 })).toEqual([]);
  });

  test('limit stops reading, so later errors do not matter', async () => {
    expect(await parse(`a\n${'1\n'.repeat(100_000)}"`, { limit: 1 })).toEqual([{ a: '1' }]);
  });

  test.each([
    [Buffer.from([0x61, 0x0a, 0xfc]), {}, /^value: must be text in utf-8; set encoding/],
    [Buffer.from('\uFEFFab', 'utf16le').subarray(0, 5), {}, /^value: must be text in utf-16le/],
    ['a,b\n1', {}, /^value: must have 2 values in row 2, not 1/],
    ['a\n"1', {}, /^value: must be valid CSV .* a quote is not closed at line 2/],
    ['__proto__\n1', {}, /^value: must not have a column named __proto__/],
  ])('refuses %j', async (bytes, config, message) => {
    expect(await failure(bytes, config as JsonObject)).toMatchObject({
      type: 'validation',
      message: expect.stringMatching(message) as string,
      data: { field: 'value' },
    });
  });

  test('bounds a record whose quote is not closed, and the output', async () => {
    expect(await failure(`a\n"${'x'.repeat(9 * 1024 ** 2)}`)).toMatchObject({
      type: 'limit',
      message: expect.stringMatching(/records of at most 8388608 characters: .* after line 1$/) as string,
    });
    expect(await failure(`${'n'.repeat(100_000)}\n${'1\n'.repeat(1000)}`)).toMatchObject({
      type: 'limit',
      message: expect.stringMatching(/67108864 characters of JSON; read fewer rows .* limit/) as string,
    });
  });

  test('refuses a file of another execution, and stops with the attempt', async () => {
    const stranger = { $file: { id: 'file_9', name: 'x', content_type: 'text/csv', size: 1 } };
    expect(await files.failure(csv, { operation: 'parse' }, stranger)).toMatchObject({
      type: 'validation',
      message: 'value: must be a file of this execution, not file_9',
    });
    const stop = new AbortController();
    const reference = await files.store(`a\n${'1\n'.repeat(2_000_000)}`);
    const running = files.run(csv, { operation: 'parse' }, reference, stop.signal);
    stop.abort();
    expect(await running).toMatchObject({ kind: 'failed', error: { type: 'stopped' } });
  });
});

describe('csv build of a file', () => {
  const build = (items: Json, config: JsonObject = {}) =>
    files.output(csv, { operation: 'build', result: 'file', ...config }, items);

  test('is read again as the same rows', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => ({ id: String(i), name: `ü "${i}"\n;` }));
    const file = (await build(rows, { filename: 'people.csv', byteOrderMark: true })) as FileReference;
    expect(file.$file).toMatchObject({ name: 'people.csv', content_type: 'text/csv; charset=utf-8' });
    expect((await files.read(file)).subarray(0, 3)).toEqual(Buffer.from('\uFEFF'));
    expect(await files.output(csv, { operation: 'parse' }, file)).toEqual(rows);
  });

  test('an empty list, a bad item and a file above the maximum', async () => {
    expect((await files.read(await build([]))).length).toBe(0);
    expect(await files.failure(csv, { operation: 'build', result: 'file' }, [{ a: 1 }, 2])).toMatchObject({
      message: 'items[1]: must be an object, not a number',
    });
    files.limitFiles(1_000);
    expect(
      await files.failure(csv, { operation: 'build', result: 'file' }, [{ a: 'x'.repeat(2_000) }]),
    ).toMatchObject({ type: 'limit', message: expect.stringContaining('1000 bytes') as string });
  });
});
