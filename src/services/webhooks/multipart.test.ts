import { describe, expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { IncomingFiles } from './webhook-files.ts';
import { readMultipart } from './multipart.ts';
import { readThreadTime } from '../../../test/support/time/thread-time.ts';

const field = (name: string, value: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (name: string, filename: string, value: string): string =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: image/png\r\n\r\n${value}`;
const join = (boundary: string, parts: readonly string[]): string =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;

async function read(body: string, boundary = 'xYzZY'): Promise<{ form: JsonObject; stored: Buffer[] }> {
  const stored: Buffer[] = [];
  let count = 0;
  const files = new IncomingFiles({
    clock: { now: () => 7 },
    ids: { next: (kind) => `${kind}_${++count}` },
    files: { put: (bytes) => Promise.resolve(`hash${stored.push(Buffer.from(bytes))}`) },
  });
  const type = `multipart/form-data; boundary=${boundary}`;
  const form = await readMultipart(Buffer.from(body, 'latin1'), type, files.take);
  expect(stored).toEqual([]);
  const rows = await files.store();
  expect(rows.map(({ hash }) => hash)).toEqual(stored.map((_, i) => `hash${i + 1}`));
  return { form, stored };
}

async function readToError(body: string, boundary?: string): Promise<string> {
  const error: unknown = await read(body, boundary).catch((thrown: unknown) => thrown);
  if (!(error instanceof WeftError)) throw new Error(`It was taken: ${JSON.stringify(error)}`);
  expect(error.code).toBe('VALIDATION_ERROR');
  return error.message;
}

describe('multipart/form-data', () => {
  test('fields are texts, files are references, repeated names are lists', async () => {
    const bytes = '\x89PNG\r\n\x1a\n\x00\xff';
    const parts = [
      field('a', '1'),
      file('photo', 'C:\\me\\p.png', bytes),
      field('a', '2'),
      file('none', '', ''),
      field('__proto__', 'x'),
    ];
    const { form, stored } = await read(`a preamble\r\n${join('xYzZY', parts)}an epilogue`);
    expect(form['a']).toEqual(['1', '2']);
    expect(form['photo']).toEqual({
      $file: { id: 'file_1', name: 'p.png', content_type: 'image/png', size: 10 },
    });
    expect(form['none']).toBeNull();
    expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
    expect(stored).toEqual([Buffer.from(bytes, 'latin1')]);
  });

  test('names in UTF-8, boundaries in quotes, other headers, no parts at all', async () => {
    const utf8 = Buffer.from(field('grüße', '☃')).toString('latin1');
    expect((await read(join('b', [utf8]), '"b"')).form).toEqual({ grüße: '☃' });
    const more = `Content-Length: 2\r\n${field('f', 'hi')}`;
    expect(
      (await read(join("a=b_?c'(d)+,-./:e", [more]), `"a=b_?c'(d)+,-./:e"; charset=utf-8`)).form,
    ).toEqual({
      f: 'hi',
    });
    expect((await read('--xYzZY--')).form).toEqual({});
  });

  test('an error names the position of malformed input', async () => {
    const good = field('a', '1');
    expect(await readToError(join('x', [good]), 'y')).toMatch(/holds no part/);
    expect(await readToError('', 'y')).toMatch(/holds no part/);
    expect(await readToError(join('xYzZY', [good, 'no headers']))).toMatch(
      /part 2 has no end of its headers/,
    );
    expect(await readToError(join('xYzZY', [good, good, 'X-Y: z\r\n\r\nv']))).toMatch(
      /part 3 needs the header Content-Disposition: form-data/,
    );
    expect(await readToError(`--xYzZY\r\n${good}\r\n--xYzZY\r\n${good}`)).toMatch(/part 2 has no end/);
    expect(await readToError(`--xYzZY\r\n${good}\r\n--xYzZYz\r\n${good}\r\n--xYzZY--`)).toMatch(
      /part 2 has something behind its boundary/,
    );
    expect(await readToError(join('xYzZY', [good, field('b', '\xff\xfe')]))).toMatch(
      /part 2 must be text in UTF-8/,
    );
    expect(
      await readToError(join('xYzZY', ['Content-Disposition: form-data; x="y"\r\n\r\nv', good])),
    ).toMatch(/part 1 cannot be read/);
    expect(await readToError(join('xYzZY', [good, field('b', 'has --xYzZY in it')]))).toMatch(
      /part 2 cannot be read/,
    );
    for (const type of ['', 'boundary=', `boundary=${'x'.repeat(71)}`])
      await expect(
        readMultipart(Buffer.from('x'), `multipart/form-data; ${type}`, () => {
          throw new Error();
        }),
      ).rejects.toThrow(/boundary/);
  });

  test('parts, files, names and headers are bounded, and refused in no time', async () => {
    const many = (count: number, part: string): string =>
      join(
        'xYzZY',
        Array.from({ length: count }, () => part),
      );
    const began = readThreadTime();
    expect((await read(many(limits.webhookParts, field('a', '1')))).form['a']).toHaveLength(1_000);
    expect(await readToError(many(limits.webhookParts + 1, field('a', '1')))).toMatch(/at most 1000 parts/);
    expect(await readToError(many(200_000, field('a', '1')))).toMatch(/at most 1000 parts/);
    expect((await read(many(limits.webhookFiles, file('a', 'f', '1')))).form['a']).toHaveLength(100);
    expect(await readToError(many(limits.webhookFiles + 1, file('a', 'f', '1')))).toMatch(
      /at most 100 files/,
    );
    expect((await read(join('xYzZY', [field('n'.repeat(200), '1')]))).form).toHaveProperty('n'.repeat(200));
    expect(await readToError(join('xYzZY', [field('n'.repeat(201), '1')]))).toMatch(/name of more than 200/);
    expect(await readToError(join('xYzZY', [field('n'.repeat(9_000_000), '1')]))).toMatch(
      /part 1 has no end of its headers within 8192/,
    );
    await read(join('xYzZY', [file('a', 'f', '\r\n--xYz'.repeat(2_000_000))]));
    expect(readThreadTime() - began).toBeLessThan(5_000);
  });
});
