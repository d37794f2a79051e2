import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readArchive } from './tar.ts';
import { packTarball, createTar, type Entry } from '../../../test/support/servers/npm-registry.ts';

const MOST = { files: 10, bytes: 10_000 };
const read = (entries: readonly Entry[]) => readArchive(packTarball(entries), MOST);
const file = (name: string, content = 'x'): Entry => ({ name, content });
const extended = (line: string): string => {
  const length = [...Array(200).keys()].find((n) => n === `${n} ${line}\n`.length);
  return `${length} ${line}\n`;
};

test('files come by their path below the one folder, whatever it is called', async () => {
  const { files, size } = await read([
    { name: 'package/', type: '5' },
    file('package/package.json', '{}'),
    file('anything/lib/ä.js', 'abc'),
    file('package/./b.js', ''),
  ]);
  expect([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
    ['package.json', '{}'],
    ['lib/ä.js', 'abc'],
    ['b.js', ''],
  ]);
  expect(size).toBe(5);
});

test('long paths come in extended headers, of both kinds', async () => {
  const long = `package/${'d/'.repeat(80)}f.js`;
  const { files } = await read([
    { name: 'pax_global_header', type: 'g', content: extended('comment=abc') },
    { name: 'x', type: 'x', content: extended(`path=${long}`) },
    file('package/short.js', '1'),
    { name: '././@LongLink', type: 'L', content: `${long}2\0` },
    file('package/cut.js', '2'),
  ]);
  expect([...files.keys()]).toEqual([long.slice(8), `${long.slice(8)}2`]);
});

test.each<[string, Entry[], RegExp]>([
  [
    'a path upwards',
    [file('package/../../etc/cron.d/x')],
    /contains a disallowed path: "package\/\.\.\/\.\.\/etc\/cron\.d\/x"/,
  ],
  ['a path from the root', [file('/etc/passwd')], /contains a disallowed path: "/],
  ['a path of another system', [file('package\\..\\x')], /contains a disallowed path: "/],
  ['a drive', [file('package/c:/x')], /contains a disallowed path: "/],
  ['a line break in a path', [file('package/a\nb')], /contains a disallowed path: "/],
  [
    'a file outside of the folder',
    [file('package.json')],
    /contains a file outside the package folder: "package\.json"/,
  ],
  [
    'a path upwards in an extended header',
    [{ name: 'x', type: 'x', content: extended('path=package/../y') }, file('package/ok')],
    /contains a disallowed path: "/,
  ],
  ['a symbolic link', [{ name: 'package/a', type: '2', link: '/etc/passwd' }], /a link: "package\/a"/],
  ['a hard link', [{ name: 'package/a', type: '1', link: 'package/b' }], /a link/],
  ['a device', [{ name: 'package/a', type: '3' }], /a device/],
  ['a pipe', [{ name: 'package/a', type: '6' }], /a pipe/],
  ['something unknown', [{ name: 'package/a', type: 'V' }], /contains an unsupported entry: "package\/a"/],
  ['a file twice', [file('package/a'), file('package/a')], /twice/],
  ['too many files', Array.from({ length: 11 }, (_, i) => file(`package/${i}`, '')), /more than 10 files/],
  [
    'too many folders',
    Array.from({ length: 40 }, (_, i) => ({ name: `package/${i}/`, type: '5' })),
    /more than/,
  ],
  ['too many bytes', [file('package/a', 'x'.repeat(10_001))], /more than 10000 bytes/],
  ['a bomb', [file('package/a', new Uint8Array(50_000_000) as never)], /more than \d+ bytes/],
])('%s is refused', async (_title, entries, message) => {
  await expect(read(entries)).rejects.toThrow(message);
});

test.each<[string, Buffer, RegExp]>([
  ['nothing', Buffer.alloc(0), /not a gzipped/],
  ['text', Buffer.from('hello'), /not a gzipped/],
  ['noise in gzip', gzipSync(Buffer.alloc(2048, 'x')), /is corrupt: a header has an invalid number/],
  [
    'half of one',
    gzipSync(createTar([file('package/a', 'x'.repeat(2000))]).subarray(0, 1024)),
    /is truncated/,
  ],
  [
    'a length that is none',
    (() => {
      const bytes = createTar([file('package/a')]);
      bytes.write('99999999999\0', 124);
      return gzipSync(bytes);
    })(),
    /is not a tar archive, or is corrupt/,
  ],
  [
    'a length of the large kind',
    (() => {
      const bytes = createTar([file('package/a')]);
      bytes[124] = 0x80;
      return gzipSync(bytes);
    })(),
    /is not a tar archive, or is corrupt/,
  ],
  [
    'an extended header without end',
    packTarball([{ name: 'x', type: 'x', content: '9999999999 path=a' }]),
    /has a malformed extended header/,
  ],
  [
    'an extended header of nothing',
    packTarball([{ name: 'x', type: 'x', content: '0 ' }]),
    /has a malformed extended header/,
  ],
])('%s is refused', async (_title, bytes, message) => {
  await expect(readArchive(bytes, MOST)).rejects.toThrow(message);
});
