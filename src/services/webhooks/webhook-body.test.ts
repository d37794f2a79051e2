import { describe, expect, test } from 'vitest';
import { limits } from '../../ports/limits.ts';
import { readFields, readWebhookBody } from './webhook-body.ts';
import type { TakeFile } from './webhook-files.ts';

const noFile: TakeFile = () => {
  throw new Error('There is no file here.');
};
const readBytes = (bytes: Buffer, type?: string, take = noFile) =>
  readWebhookBody(bytes, { 'content-type': type }, limits.json, take);
const read = (text: string, type?: string) => readBytes(Buffer.from(text), type);

describe('bodies of webhooks', () => {
  test('by their content type', () => {
    expect(read('{"a":[1]}', 'application/json; charset=utf-8')).toEqual({ a: [1] });
    expect(read('{"a":1}', 'application/cloudevents+json')).toEqual({ a: 1 });
    expect(read('a=1&b=x%20y&a=2', 'application/x-www-form-urlencoded')).toEqual({ a: ['1', '2'], b: 'x y' });
    expect(read('hello', 'text/plain')).toBe('hello');
    expect(read('{"a":1}')).toBe('{"a":1}');
    expect(read('', 'application/json')).toBeNull();
  });

  test('JSON may begin with a byte order mark; compressed JSON is rejected', () => {
    expect(read('\ufeff{"a":1}', 'application/json')).toEqual({ a: 1 });
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(() => readWebhookBody(Buffer.from([0x1f, 0x8b]), headers, limits.json, noFile)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  test('broken JSON is refused', () => {
    expect(() => read('{"a":', 'application/json')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    expect(() => readBytes(bytes, 'application/json')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  test('any other content type is one file, named by its disposition', () => {
    const taken: unknown[] = [];
    const take: TakeFile = (name, contentType, bytes) => {
      taken.push([name, contentType, bytes.byteLength]);
      return { $file: { id: 'file_1', name, content_type: contentType, size: bytes.byteLength } };
    };
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="a.png"' };
    expect(readWebhookBody(bytes, headers, limits.json, take)).toMatchObject({ $file: { id: 'file_1' } });
    void readBytes(Buffer.from('%PDF'), 'Application/PDF; version=1.7', take);
    void readBytes(bytes, 'text/plain', take);
    void readBytes(bytes, undefined, take);
    void readBytes(bytes, 'multipart/mixed; boundary=x', take);
    expect(taken).toEqual([
      ['a.png', 'image/png', 3],
      ['body', 'Application/PDF; version=1.7', 4],
      ['body', 'text/plain', 3],
      ['body', 'application/octet-stream', 3],
      ['body', 'multipart/mixed; boundary=x', 3],
    ]);
  });

  test('64 levels pass, 65 do not', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(read(nested(64), 'application/json')).toBeInstanceOf(Array);
    expect(() => read(nested(65), 'application/json')).toThrow(/deeper than 64/);
    expect(() => read('['.repeat(1_000_000) + ']'.repeat(1_000_000), 'application/json')).toThrow(
      /deeper than 64/,
    );
  });

  test('a field named __proto__ is data, and changes nothing', () => {
    const fields = readFields('__proto__=x&a=1', 'query');
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(fields['a']).toBe('1');
    expect(({} as { x?: string }).x).toBeUndefined();
  });
});
