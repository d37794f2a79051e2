import { randomBytes } from 'node:crypto';
import { ZipFile } from 'yazl';
import { describe, expect, test } from 'vitest';
import { useFileNodeFixture } from '../../../test/support/file-node-fixture.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { zip } from './zip.node.ts';

const files = useFileNodeFixture();

async function buildArchive(members: Record<string, string | Buffer>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(members)) archive.addBuffer(Buffer.from(content), name);
  archive.addEmptyDirectory('folder/');
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const DIRECTORY_ENTRY = Buffer.from([0x50, 0x4b, 1, 2]);
/** Changes each entry of the directory that has content. */
function patched(archive: Buffer, change: (entry: Buffer) => void): Buffer {
  for (let at = archive.indexOf(DIRECTORY_ENTRY); at >= 0; at = archive.indexOf(DIRECTORY_ENTRY, at + 1)) {
    const entry = archive.subarray(at);
    if (entry.readUInt32LE(24) > 0) change(entry);
  }
  return archive;
}

const run = async (bytes: Buffer, config: JsonObject) =>
  files.output(zip, { operation: 'list', ...config }, await files.store(bytes));
const refusal = async (bytes: Buffer, config: JsonObject = {}) =>
  files.failure(zip, { operation: 'extract', ...config }, await files.store(bytes));

describe('zip', () => {
  test('lists and extracts the files that match', async () => {
    const large = randomBytes(300_000);
    const bytes = await buildArchive({
      'a.txt': 'ü',
      'data/b.csv': 'x,y',
      'data/deep/c.csv': '1',
      'd.bin': large,
    });
    expect(await run(bytes, {})).toEqual([
      { path: 'a.txt', size: 2 },
      { path: 'data/b.csv', size: 3 },
      { path: 'data/deep/c.csv', size: 1 },
      { path: 'd.bin', size: 300_000 },
    ]);
    expect(await run(bytes, { include: 'data/*' })).toEqual([{ path: 'data/b.csv', size: 3 }]);
    const found = (await run(bytes, { operation: 'extract', include: '**/*.csv' })) as {
      path: string;
      file: FileReference;
    }[];
    expect(found.map(({ path }) => path)).toEqual(['data/b.csv', 'data/deep/c.csv']);
    expect(found[0]!.file.$file).toMatchObject({ name: 'b.csv', content_type: 'text/csv', size: 3 });
    expect((await files.read(found[0]!.file)).toString()).toBe('x,y');
    const [whole] = (await run(bytes, { operation: 'extract', include: 'd.bin' })) as {
      file: FileReference;
    }[];
    expect((await files.read(whole!.file)).equals(large)).toBe(true);
  });

  test.each<[string, string[]]>([
    ['**', ['a.csv', 'b/c.csv', 'b/d/e.csv', 'b/x(1).txt']],
    ['*', ['a.csv']],
    ['**/*.csv', ['a.csv', 'b/c.csv', 'b/d/e.csv']],
    ['b/**', ['b/c.csv', 'b/d/e.csv', 'b/x(1).txt']],
    ['b/x(1).*', ['b/x(1).txt']],
    ['?.csv', ['a.csv']],
    ['a?csv', ['a.csv']],
    ['a', []],
  ])('the pattern %s', async (include, paths) => {
    const bytes = await buildArchive({ 'a.csv': '', 'b/c.csv': '', 'b/d/e.csv': '', 'b/x(1).txt': '' });
    expect(await run(bytes, { include })).toEqual(paths.map((path) => ({ path, size: 0 })));
  });

  test('lists thousands of entries, and bounds their number', async () => {
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${i}.txt`, '']));
    const bytes = await buildArchive(members);
    expect(await run(bytes, {})).toHaveLength(5_000);
    expect(await refusal(bytes)).toMatchObject({
      type: 'limit',
      message: 'include: must match at most 1000 files, not 5000',
    });
  });

  test.each<[string, () => Promise<Buffer>, RegExp]>([
    ['an empty file', async () => Buffer.alloc(0), /^value: must be a ZIP file: /],
    ['text', async () => Buffer.from('hello '.repeat(100)), /^value: must be a ZIP file: /],
    [
      'half of a file',
      async () => (await buildArchive({ 'a.txt': 'x'.repeat(1000) })).subarray(0, 100),
      /^value: must be a ZIP file: /,
    ],
    [
      'a path that leaves its folder',
      async () =>
        Buffer.from(
          (await buildArchive({ 'xx/a.txt': '1' })).toString('latin1').replaceAll('xx/', '../'),
          'latin1',
        ),
      /^value: must be a ZIP file: invalid relative path: \.\.\/a\.txt$/,
    ],
    [
      'a password',
      async () =>
        patched(await buildArchive({ 'a.txt': '1' }), (entry) =>
          entry.writeUInt16LE(entry.readUInt16LE(8) | 1, 8),
        ),
      /^value: must not be protected by a password: a\.txt$/,
    ],
    [
      'a file that is larger than stated',
      async () =>
        patched(await buildArchive({ 'a.txt': 'x'.repeat(100_000) }), (entry) => entry.writeUInt32LE(10, 24)),
      /^value: must be a ZIP file: too many bytes in the stream.* \(in a\.txt\)$/,
    ],
    [
      'damaged content',
      async () => {
        const bytes = await buildArchive({ 'a.txt': 'abc'.repeat(1000) });
        bytes.fill(0xff, 36, 46);
        return bytes;
      },
      /^value: must be a ZIP file: .* \(in a\.txt\)$/,
    ],
  ])('refuses %s', async (_name, bytes, message) => {
    expect(await refusal(await bytes())).toMatchObject({
      type: 'validation',
      message: expect.stringMatching(message) as string,
    });
  });

  test('bounds what an archive expands to, before and while it is extracted', async () => {
    const stated = patched(await buildArchive({ a: '1', b: '2' }), (entry) =>
      entry.writeUInt32LE(0xf0000000, 24),
    );
    expect(await refusal(stated)).toMatchObject({
      type: 'limit',
      message: 'value: must have at most 4294967296 bytes of files, not 8053063680',
    });
    files.limitFiles(1_000_000);
    expect(await refusal(await buildArchive({ a: Buffer.alloc(2_000_000) }))).toMatchObject({
      type: 'limit',
      message: 'The file is larger than 1000000 bytes, the maximum of this server',
    });
  });

  test('stops with the attempt', async () => {
    const bytes = await buildArchive({ a: Buffer.alloc(20_000_000) });
    const stop = new AbortController();
    const running = files.run(zip, { operation: 'extract' }, await files.store(bytes), stop.signal);
    stop.abort();
    expect(await running).toMatchObject({ kind: 'failed', error: { type: 'stopped' } });
  });
});

describe('zip create', () => {
  const create = (list: Json, config: JsonObject = {}) =>
    files.output(zip, { operation: 'create', files: list, ...config });

  test('is extracted again as the same files', async () => {
    const large = randomBytes(500_000);
    const file = await create([
      { path: 'ü/a.txt', content: 'text' },
      await files.store(large, 'large.bin'),
      { path: 'copy.bin', content: await files.store(large) },
    ]);
    expect((file as FileReference).$file).toMatchObject({
      name: 'files.zip',
      content_type: 'application/zip',
    });
    const found = (await files.output(zip, { operation: 'extract' }, file)) as {
      path: string;
      file: FileReference;
    }[];
    expect(found.map(({ path }) => path)).toEqual(['ü/a.txt', 'large.bin', 'copy.bin']);
    expect((await files.read(found[0]!.file)).toString()).toBe('text');
    expect((await files.read(found[2]!.file)).equals(large)).toBe(true);
    expect(await files.output(zip, { operation: 'list' }, await create([]))).toEqual([]);
  });

  test.each<[Json, string]>([
    [[5], 'files[0]: must be a file ({"$file": …}) or {path, content}, not a number'],
    [[{ path: '../a', content: '' }], 'files[0].path: must be a relative path'],
    [[{ path: '/a', content: '' }], 'files[0].path: must be a relative path'],
    [[{ path: 'a\\b', content: '' }], 'files[0].path: must be a relative path'],
    [[{ content: 'x' }], 'files[0].path: is required if content is a string'],
    [[{ path: 'a', content: 5 }], 'files[0].content: must be a string or a file'],
    [[{ path: 'a', content: '', mode: 1 }], 'files[0].mode: is not a known field'],
    [
      [
        { path: 'a', content: '' },
        { path: 'a', content: '' },
      ],
      'files[1].path: must not be used twice: a',
    ],
    ['text', 'files: must be a list, not a string'],
  ])('refuses %j', async (list, message) => {
    const error = await files.failure(zip, { operation: 'create', files: '{{ input.list }}' }, { list });
    expect(error).toMatchObject({ type: 'validation', message: expect.stringContaining(message) as string });
  });
});
