import { describe, expect, test } from 'vitest';
import { readFields, readWebhookBody } from './webhook-body.ts';

const read = (text: string, type?: string) => readWebhookBody(Buffer.from(text), type);

describe('bodies of webhooks', () => {
  test('by their content type', () => {
    expect(read('{"a":[1]}', 'application/json; charset=utf-8')).toEqual({ a: [1] });
    expect(read('{"a":1}', 'application/cloudevents+json')).toEqual({ a: 1 });
    expect(read('a=1&b=x%20y&a=2', 'application/x-www-form-urlencoded')).toEqual({ a: ['1', '2'], b: 'x y' });
    expect(read('hello', 'text/plain')).toBe('hello');
    expect(read('{"a":1}')).toBe('{"a":1}');
    expect(read('', 'application/json')).toBeNull();
  });

  test('broken JSON, other bytes and multipart are refused', () => {
    expect(() => read('{"a":', 'application/json')).toThrow(
      expect.objectContaining({ code: 'INVALID_JSON' }),
    );
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    expect(() => readWebhookBody(bytes, 'application/json')).toThrow(
      expect.objectContaining({ code: 'INVALID_JSON' }),
    );
    expect(() => readWebhookBody(bytes, 'image/png')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    expect(() => read('x', 'multipart/form-data; boundary=y')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
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
