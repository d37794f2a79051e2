import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';
import { deriveKeys, loadSecretKey, readSecretKey } from './secret-key.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'weft-key-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('the first start makes a key that only its owner reads, and the next ones find it', async () => {
  const folder = path.join(dataDir, 'new');
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretKey(folder)));
  for (const key of keys) expect(key).toEqual(keys[0]);
  expect(keys[0]).toHaveLength(32);
  expect(await loadSecretKey(folder)).toEqual(keys[0]);
  expect(await readdir(folder)).toEqual(['secret.key']);
  expect((await stat(path.join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
  const text = await readFile(path.join(folder, 'secret.key'), 'utf8');
  expect(readSecretKey(text.trim())).toEqual(keys[0]);
});

test.each([
  '',
  'short',
  Buffer.alloc(31).toString('base64'),
  Buffer.alloc(33).toString('base64'),
  `${'A'.repeat(43)}=\nmore`,
])('a file that holds %j stops the start and stays as it is', async (content) => {
  const file = path.join(dataDir, 'secret.key');
  await writeFile(file, content);
  await expect(loadSecretKey(dataDir)).rejects.toThrow(`${file} holds no secret key`);
  expect(await readFile(file, 'utf8')).toBe(content);
});

test.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be written is an error, not another key',
  async () => {
    await chmod(dataDir, 0o500);
    await expect(loadSecretKey(dataDir)).rejects.toThrow('EACCES');
  },
);

test('each purpose has a key of its own', () => {
  const one = deriveKeys(Buffer.alloc(32, 1));
  expect(one.tokens).toHaveLength(32);
  expect(one.tokens).not.toEqual(one.secrets);
  expect(deriveKeys(Buffer.alloc(32, 1))).toEqual(one);
  expect(deriveKeys(Buffer.alloc(32, 2)).tokens).not.toEqual(one.tokens);
});

test('a secret opens for its owner and name alone, whole, and with the same key', () => {
  const box = createSecretBox(Buffer.alloc(32, 1));
  const value = 'päss\0 ✓ '.repeat(1000);
  const sealed = box.seal('usr_1', 'A', value);
  expect(sealed).not.toContain('p\u00e4ss');
  expect(box.seal('usr_1', 'A', value)).not.toBe(sealed);
  expect(box.open('usr_1', 'A', sealed)).toBe(value);
  const flipped = sealed.slice(0, 60) + (sealed[60] === 'A' ? 'B' : 'A') + sealed.slice(61);
  const wrong = [
    () => box.open('usr_2', 'A', sealed),
    () => box.open('usr_1', 'B', sealed),
    () => createSecretBox(Buffer.alloc(32, 2)).open('usr_1', 'A', sealed),
    () => box.open('usr_1', 'A', flipped),
    () => box.open('usr_1', 'A', sealed.slice(0, -4)),
    () => box.open('usr_1', 'A', sealed.replace('v1.', 'v2.')),
    () => box.open('usr_1', 'A', 'v1.AAAA'),
    () => box.open('usr_1', 'A', ''),
  ];
  for (const open of wrong) expect(open).toThrow('The stored secret');
  expect(box.open('', '', box.seal('', '', ''))).toBe('');
});
