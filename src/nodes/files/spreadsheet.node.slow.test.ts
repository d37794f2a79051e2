import { writeXlsx, type WriteOptions } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { useFileNodeFixture } from '../../../test/support/file-node-fixture.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { spreadsheet } from './spreadsheet.node.ts';

const files = useFileNodeFixture();

/** A workbook of the library, with formulas, hidden sheets and types that `create` does not write. */
const workbook = (...sheets: WriteOptions['sheets']) => writeXlsx({ sheets });
const read = async (bytes: Uint8Array, config: JsonObject = {}) =>
  files.output(spreadsheet, { operation: 'read', ...config }, await files.store(bytes));
const refusal = async (bytes: Uint8Array, config: JsonObject = {}) =>
  files.failure(spreadsheet, { operation: 'read', ...config }, await files.store(bytes));
const create = async (items: Json, config: JsonObject = {}): Promise<Buffer> =>
  files.read(await files.output(spreadsheet, { operation: 'create', ...config }, items));

describe('spreadsheet read', () => {
  test('reads types, dates without time zone, and large integers', async () => {
    const bytes = await workbook({
      name: 'S',
      rows: [
        ['text', 'number', 'yes', 'date', 'time', 'large', 'none', ''],
        [
          '=1+1',
          -0.5,
          true,
          new Date('2026-01-05T00:00:00Z'),
          new Date('2026-01-05T13:45:10Z'),
          2 ** 60,
          null,
          'x',
        ],
      ],
    });
    expect(await read(bytes)).toEqual([
      {
        text: '=1+1',
        number: -0.5,
        yes: true,
        date: '2026-01-05',
        time: '2026-01-05T13:45:10',
        large: '1152921504606847000',
        none: null,
        column_8: 'x',
      },
    ]);
  });

  test('reads the requested sheet, range and rows', async () => {
    const rows = [['skip', 'n', 'm'], ...Array.from({ length: 10 }, (_, i) => [null, i, `r${i}`])];
    const bytes = await workbook({ name: 'First', rows: [['a'], [1]] }, { name: 'Data', rows, hidden: true });
    expect(await read(bytes, { sheet: 'Data', range: 'B1:C5' })).toEqual(
      [0, 1, 2, 3].map((i) => ({ n: i, m: `r${i}` })),
    );
    expect(await read(bytes, { sheet: 2, offset: 8, limit: 1, range: 'B1:C20' })).toEqual([
      { n: 8, m: 'r8' },
    ]);
    expect(await read(bytes, { sheet: 2, header: false, limit: 1 })).toEqual([['skip', 'n', 'm']]);
    expect(await read(bytes, { sheet: 2, header: false, range: 'B2:C2', columns: ['x'] })).toEqual([
      { x: 0, column_2: 'r0' },
    ]);
    expect(
      await files.output(
        spreadsheet,
        { operation: 'list', output: 'sheets' },
        {
          ...(await files.store(bytes)),
        },
      ),
    ).toMatchObject({
      sheets: [
        { name: 'First', hidden: false },
        { name: 'Data', hidden: true },
      ],
    });
  });

  test('reads base64 text, and an empty sheet', async () => {
    const bytes = await workbook({ name: 'S', rows: [] });
    const text = Buffer.from(bytes).toString('base64');
    expect(await files.output(spreadsheet, { operation: 'read', value: text })).toEqual([]);
  });

  test.each<[string, () => Uint8Array | Promise<Uint8Array>, JsonObject, RegExp]>([
    ['an empty file', () => Buffer.alloc(0), {}, /^value: must be an XLSX file: /],
    ['text', () => Buffer.from('a,b\n1,2\n'.repeat(20)), {}, /^value: must be an XLSX file: /],
    [
      'half of a file',
      async () => {
        const bytes = await workbook({ name: 'S', rows: [['a'], [1]] });
        return bytes.subarray(0, bytes.length / 2);
      },
      {},
      /^value: must be an XLSX file: /,
    ],
    [
      'a password',
      () =>
        writeXlsx({
          sheets: [{ name: 'S', rows: [['a']] }],
          encryption: { password: 'x', spinCount: 1000 },
        }),
      {},
      /^value: must not be protected by a password$/,
    ],
    [
      'an unknown sheet',
      () => workbook({ name: 'S', rows: [['a']] }),
      { sheet: 'T' },
      /^sheet: must be one of the sheets of the file: S$/,
    ],
    [
      'a column of a forbidden name',
      () => workbook({ name: 'S', rows: [['__proto__'], [1]] }),
      {},
      /^value: must not have a column named __proto__$/,
    ],
  ])('refuses %s', async (_name, bytes, config, message) => {
    expect(await refusal(await bytes(), config)).toMatchObject({
      type: 'validation',
      message: expect.stringMatching(message) as string,
    });
  });

  test('rejects input that is not a file, and a wrong range before it runs', async () => {
    expect(await files.failure(spreadsheet, { operation: 'read' }, { a: 1 })).toMatchObject({
      message: 'value: must be a file ({"$file": …}) or base64 text, not an object',
    });
    expect(await files.failure(spreadsheet, { operation: 'read' }, 'no base64!')).toMatchObject({
      message: 'value: must be a file ({"$file": …}) or base64 text',
    });
    await expect(files.run(spreadsheet, { operation: 'read', range: 'B3' })).rejects.toThrow(/range/);
  });

  test('bounds a sheet that expands to gigabytes, and stops with the attempt', async () => {
    const bytes = await workbook({
      name: 'S',
      rows: Array.from({ length: 3_000 }, () => ['x'.repeat(30_000)]),
    });
    expect(bytes.length).toBeLessThan(1_000_000);
    expect(await refusal(bytes)).toMatchObject({
      type: 'limit',
      message: expect.stringMatching(/must not produce more than 67108864 bytes/) as string,
    });
    const stop = new AbortController();
    const running = files.run(spreadsheet, { operation: 'read' }, await files.store(bytes), stop.signal);
    stop.abort();
    expect(await running).toMatchObject({ kind: 'failed', error: { type: 'stopped' } });
  });
});

describe('spreadsheet create', () => {
  test('is read again as the same rows', async () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({
      id: i,
      name: `ü "${i}" <&>\n`,
      due: '2026-01-05',
      at: '2026-01-05T13:45:10',
      formula: '=1+1',
      ok: i % 2 === 0,
      none: null,
      big: '12345678901234567890',
    }));
    const file = (await files.output(
      spreadsheet,
      { operation: 'create', filename: 'people.xlsx', sheet: 'People' },
      rows,
    )) as FileReference;
    expect(file.$file).toMatchObject({
      name: 'people.xlsx',
      content_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    });
    expect(await read(await files.read(file), { sheet: 'People' })).toEqual(rows);
  });

  test('writes lists, chosen columns, objects as JSON, and dates as text on request', async () => {
    expect(await read(await create([['a', 1], ['b']]), { header: false })).toEqual([['a', 1], ['b']]);
    expect(
      await read(
        await create([{ a: { b: [1] }, c: '2026-01-05T10:00:00+02:00' }], { columns: ['a.b', 'a', 'c'] }),
      ),
    ).toEqual([{ 'a.b': '[1]', a: '{"b":[1]}', c: '2026-01-05T08:00:00' }]);
    expect(await read(await create([{ c: '2026-01-05T10:00:00Z' }], { dates: false }))).toEqual([
      { c: '2026-01-05T10:00:00Z' },
    ]);
    expect(await read(await create([]))).toEqual([]);
  });

  test.each<[string, Json, JsonObject, string]>([
    ['a value that is not an object', [{ a: 1 }, 2], {}, 'items[1]: must be an object, not a number'],
    ['a long text', [{ a: 'x'.repeat(32_768) }], {}, 'items[0]: must have texts of at most 32767 characters'],
    [
      'a sheet name from a template',
      [{ a: 'b/c' }],
      { sheet: '{{ input[0].a }}' },
      'sheet: must not contain',
    ],
  ])('refuses %s', async (_name, items, config, message) => {
    expect(await files.failure(spreadsheet, { operation: 'create', ...config }, items)).toMatchObject({
      message: expect.stringContaining(message) as string,
    });
  });
});
