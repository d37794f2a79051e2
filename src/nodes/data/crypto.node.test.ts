import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { crypto, MAX_TEXT_LENGTH } from './crypto.node.ts';
import {
  runToError,
  measureLongestBlock,
  runToOutput,
  runNode,
} from '../../../test/support/run-data-node.ts';

const run = (config: JsonObject, input: Json = null) => runToOutput(crypto, config, input);

describe('crypto', () => {
  // Those of nodes with external effects are not run with all the others.
  it.each(crypto.examples)('$title', async ({ config, input, outputs, failure }) => {
    const outcome = await runNode(crypto, config, input);
    if (failure === undefined) expect(outcome).toEqual({ kind: 'done', outputs });
    else expect(outcome).toMatchObject({ kind: 'failed', error: { type: failure } });
  });

  // RFC 1321, RFC 4231 (test case 2), FIPS 180, RFC 4648.
  it.each([
    [{ operation: 'hash' }, 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [{ operation: 'hash', algorithm: 'md5' }, '', 'd41d8cd98f00b204e9800998ecf8427e'],
    [{ operation: 'hash', algorithm: 'sha1', encoding: 'base64' }, 'abc', 'qZk+NkcGgWq6PiVxeFDCbJzQ2J0='],
    [{ operation: 'hash', algorithm: 'sha1', encoding: 'base64url' }, 'abc', 'qZk-NkcGgWq6PiVxeFDCbJzQ2J0'],
    [
      { operation: 'hmac', key: 'Jefe' },
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [{ operation: 'encode', encoding: 'base64' }, 'foobar', 'Zm9vYmFy'],
    [{ operation: 'encode' }, 'é😀', 'c3a9f09f9880'],
    [{ operation: 'decode', encoding: 'base64' }, ' Zm9vYmE= ', 'fooba'],
    [{ operation: 'decode', encoding: 'base64url' }, 'w6nwn5iA', 'é😀'],
    [{ operation: 'decode' }, '', ''],
  ])('%j of %j', async (config, input, output) => {
    expect(await run(config as JsonObject, input)).toBe(output);
  });

  it('verifies signatures in any form of their encoding, and rejects everything else', async () => {
    const hex = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
    const config = { operation: 'verify_hmac', key: 'Jefe' };
    const check = (signature: string) => run({ ...config, signature }, 'what do ya want for nothing?');
    for (const good of [hex, hex.toUpperCase(), ` ${hex}\n`]) expect(await check(good)).toBe(true);
    for (const bad of ['', hex.slice(2), `${hex}00`, `${hex}zz`, `sha256=${hex}`, '00'.repeat(32)])
      expect(await check(bad)).toBe(false);
  });

  it('makes random texts and UUIDs that differ', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => run({ operation: 'uuid' })));
    expect(new Set(made).size).toBe(50);
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await run({ operation: 'random', bytes: 5 })).toMatch(/^[0-9a-f]{10}$/);
    expect(await run({ operation: 'random', output: 'token' }, { a: 1 })).toMatchObject({
      a: 1,
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([
    [{ operation: 'hash', algorithm: 'rot13' }, 'x', 'algorithm', /one of sha256/],
    [{ operation: 'hash' }, { a: 1 }, 'value', /must be a string, not an object/],
    [{ operation: 'hmac' }, 'x', 'key', /is required/],
    [{ operation: 'hmac', key: '' }, 'x', 'key', /must not be empty/],
    [{ operation: 'hmac', key: '{{ input.key }}' }, { key: 5 }, 'key', /must be a string/],
    [{ operation: 'verify_hmac', key: 'k' }, 'x', 'signature', /is required/],
    [{ operation: 'random', bytes: 0 }, 'x', 'bytes', /at least 1/],
    [{ operation: 'random', bytes: 1025 }, 'x', 'bytes', /at most 1024/],
    [{ operation: 'decode' }, 'abc', 'value', /must be encoded in hex/],
    [{ operation: 'decode', encoding: 'base64' }, 'a-_b', 'value', /must be encoded in base64/],
    [{ operation: 'decode', encoding: 'base64' }, '/////w==', 'value', /must be UTF-8 text when decoded/],
    [
      { operation: 'uuid', value: 'x' },
      'x',
      'value',
      /is not a known field; known are operation, output, retryPolicy,/,
    ],
    [{ operation: 'uuid', output: 'a' }, 'x', 'output', /requires the input to be an object, not a string/],
    [{ operation: 'sign' }, 'x', 'operation', /one of hash, hmac/],
  ])('names the field of %j', async (config, input, field, issue) => {
    const found = await runToError(crypto, config as JsonObject, input as Json);
    expect(found).toMatchObject({ type: 'validation', field });
    expect(found.issue).toMatch(issue);
  });

  it('is a node with effects, so that it may read a secret', () => {
    expect(crypto.effects).toBe('external');
  });

  it('bounds a text by what does not hold the event loop', async () => {
    expect(await runToError(crypto, { operation: 'hash' }, 'x'.repeat(MAX_TEXT_LENGTH + 1))).toMatchObject({
      type: 'limit',
      issue: expect.stringContaining('16777216'),
    });
    const text = 'x'.repeat(MAX_TEXT_LENGTH);
    expect(
      await measureLongestBlock(() => run({ operation: 'hash', algorithm: 'sha512' }, text)),
    ).toBeLessThan(150);
  });
});
