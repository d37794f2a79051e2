import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createSystemClock } from '../../app/system-clock.ts';
import { getPackageName, type PackageLock } from '../../contract/packs/packages.ts';
import type { Json } from '../../lib/json/json.ts';
import { parseAllowedHosts } from '../allowed-hosts.ts';
import { createEgressClient } from '../http/egress-client.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { createPackageBundler, type BundlerOptions } from './package-bundler.ts';
import {
  buildArchive,
  openRegistry,
  packTarball,
  type Entry,
} from '../../../test/support/servers/npm-registry.ts';

const registry = await openRegistry();
const egressTo = (hosts: string) =>
  createEgressClient({ clock: createSystemClock(), allowedHosts: parseAllowedHosts(hosts) });
const egress = egressTo('127.0.0.1');
const sandbox = createSandbox({ warn: () => {} });
const bundler = createPackageBundler({ registry: registry.url, egress });
afterAll(async () => {
  bundler.close();
  sandbox.close();
  registry.close();
  await egress.close();
});

type Files = Record<string, string>;
/** Publishes packages `{name: [files, manifest?]}` in version 1.0.0, and gives the lock of all of them. */
const createLock = (packages: Record<string, [Files, object?]>): PackageLock =>
  Object.fromEntries(
    Object.entries(packages).map(([path, [files, manifest]]) => {
      const name = getPackageName(path);
      const version = `1.0.${path.length}`;
      return [path, registry.publish(name, version, buildArchive(name, version, files, manifest))];
    }),
  );
let owners = 0;
const bundle = (handler: string, lock: PackageLock, options: Partial<BundlerOptions> = {}) => {
  const made =
    Object.keys(options).length === 0
      ? bundler
      : createPackageBundler({ registry: registry.url, egress, ...options });
  return made.bundle(`owner${owners++}`, handler, lock);
};
async function source(handler: string, lock: PackageLock): Promise<string> {
  const result = await bundle(handler, lock);
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.errors));
  return result.bundle.source;
}
async function run(handler: string, lock: PackageLock, input: Json = null): Promise<Json> {
  const text = await source(handler, lock);
  expect(await sandbox.check('a', text)).toBeNull();
  const result = await sandbox.run({
    ownerId: 'a',
    source: text,
    argument: input,
    timeout: 60_000,
    signal: new AbortController().signal,
    log: () => {},
  });
  if (result.kind === 'failed') throw new Error(result.error.message);
  return result.value;
}
async function errors(handler: string, lock: PackageLock, options?: Partial<BundlerOptions>) {
  const result = await bundle(handler, lock, options);
  if (result.kind === 'bundle') throw new Error(`It became ${result.bundle.source.slice(0, 500)}`);
  return result.errors;
}

describe('bundling', () => {
  test('packages of both kinds, what they need themselves, and JSON; and it tells what went in', async () => {
    const lock = createLock({
      plain: [{ 'index.js': 'module.exports = (n) => n * require("@scope/factor").factor' }],
      '@scope/factor': [
        {
          'lib/main.mjs':
            'import data from "../data.json"; export const factor = data.factor; export const idle = "'.concat(
              'x'.repeat(500),
              '"',
            ),
          'data.json': '{"factor": 3}',
        },
        { type: 'module', exports: { '.': { node: './node.js', default: './lib/main.mjs' } } },
      ],
    });
    const handler =
      'import triple from "plain"; import { factor } from "@scope/factor"; export default (input) => [triple(input), factor]';
    expect(await run(handler, lock, 7)).toEqual([21, 3]);
    const made = await bundle(handler, lock);
    if (made.kind === 'refused') throw new Error();
    expect(made.bundle.packages.map(({ path, version, integrity }) => [path, version, integrity])).toEqual(
      Object.keys(lock)
        .sort()
        .map((path) => [path, lock[path]?.version, lock[path]?.integrity]),
    );
    for (const one of made.bundle.packages) {
      expect(one.archive_size).toBeGreaterThan(100);
      expect(one.unpacked_size).toBeGreaterThan(50);
      expect(one.bundled_size).toBeGreaterThan(10);
    }
    // The same lock, the same text.
    expect(await source(handler, lock)).toBe(made.bundle.source);
  });

  test.each<[string, Record<string, [Files, object?]>, string, Json]>([
    [
      'conditions: import and require each get their own',
      {
        two: [
          {
            'a.mjs': 'export default "esm"',
            'a.cjs': 'module.exports = "cjs"',
            'n.js': 'module.exports = "node"',
          },
          { exports: { '.': { node: './n.js', import: './a.mjs', require: './a.cjs' } } },
        ],
        asks: [{ 'index.js': 'module.exports = require("two")' }],
      },
      'import one from "two"; import other from "asks"; export default () => [one, other]',
      ['esm', 'cjs'],
    ],
    [
      'parts of a package, by pattern and by name',
      {
        parts: [
          {
            'src/a.js': 'export const a = 1',
            'src/deep/b.js': 'export const b = 2',
            'c.js': 'export const c = 3',
          },
          {
            type: 'module',
            exports: {
              './c': './c.js',
              './*': './src/*.js',
              './deep/*': './src/deep/*.js',
              './secret': null,
            },
          },
        ],
      },
      'import { a } from "parts/a"; import { b } from "parts/deep/b"; import { c } from "parts/c"; export default () => [a, b, c]',
      [1, 2, 3],
    ],
    [
      'names inside a package, and itself',
      {
        inner: [
          {
            'index.js': 'import x from "#x"; import y from "inner/y"; export default [x, y]',
            'x.js': 'export default "x"',
            'y.js': 'export default "y"',
          },
          { type: 'module', imports: { '#x': './x.js' }, exports: { '.': './index.js', './y': './y.js' } },
        ],
      },
      'import all from "inner"; export default () => all',
      ['x', 'y'],
    ],
    [
      'main, module, folders and endings',
      {
        old: [
          {
            'lib/index.js': 'module.exports = [require("./a"), require("./dir")]',
            'lib/a.js': 'module.exports = 1',
            'lib/dir/package.json': '{"main": "start"}',
            'lib/dir/start.js': 'module.exports = 2',
          },
          { main: './lib' },
        ],
        both: [
          { 'm.js': 'export default 4', 'c.js': 'module.exports = 5' },
          { main: 'c.js', module: 'm.js' },
        ],
      },
      'import old from "old"; import both from "both"; import file from "old/lib/a.js"; export default () => [old, both, file]',
      [[1, 2], 4, 1],
    ],
    [
      'what a package has for where there is no Node',
      {
        wide: [
          {
            'index.js':
              'const fs = require("fs"); module.exports = [typeof fs.readFileSync, require("./io"), require("util-x")]',
            'io.js': 'module.exports = "node"',
            'io-browser.js': 'module.exports = "bare"',
            'x.js': 'module.exports = "x"',
          },
          { browser: { fs: false, './io.js': './io-browser.js', 'util-x': './x.js' } },
        ],
      },
      'import wide from "wide"; export default () => wide',
      ['undefined', 'bare', 'x'],
    ],
    [
      'packages that need each other',
      {
        left: [{ 'index.js': 'exports.name = "left"; exports.other = () => require("right").name' }],
        right: [
          { 'index.js': 'const left = require("left"); exports.name = "right"; exports.seen = left.name' },
        ],
      },
      'import left from "left"; import right from "right"; export default () => [left.other(), right.seen]',
      ['right', 'left'],
    ],
    [
      'two versions of one package',
      {
        dep: [{ 'index.js': 'module.exports = "outer"' }],
        user: [{ 'index.js': 'module.exports = require("dep")' }],
        'user/node_modules/dep': [{ 'index.js': 'module.exports = "inner"' }],
      },
      'import dep from "dep"; import user from "user"; export default () => [dep, user]',
      ['outer', 'inner'],
    ],
    [
      'a package with the name of a part of Node',
      { events: [{ 'index.js': 'module.exports = class { on() { return "mine" } }' }] },
      'import Events from "events"; export default () => new Events().on()',
      'mine',
    ],
    [
      'what is only tried for may be missing',
      {
        tries: [{ 'index.js': 'let fs; try { fs = require("fs") } catch { fs = null } module.exports = fs' }],
      },
      'import tries from "tries"; export default () => tries',
      null,
    ],
    [
      'an import when it is needed',
      { late: [{ 'index.js': 'export const n = 9' }, { type: 'module' }] },
      'export default async () => (await import("late")).n',
      9,
    ],
    [
      'the usual words of packages for where they are',
      {
        env: [{ 'index.js': 'module.exports = [process.env.NODE_ENV, typeof global.Array, typeof window]' }],
      },
      'import env from "env"; export default () => env',
      ['production', 'function', 'undefined'],
    ],
    [
      'odd names of files',
      {
        odd: [
          {
            'index.js': 'module.exports = [require("./__proto__.js"), require("./constructor")]',
            '__proto__.js': 'module.exports = 1',
            'constructor.js': 'module.exports = 2',
          },
        ],
      },
      'import odd from "odd"; export default () => odd',
      [1, 2],
    ],
  ])('%s', async (_title, packages, handler, output) => {
    expect(await run(handler, createLock(packages))).toEqual(output);
  });
});

describe('rejected input', () => {
  test.each<[string, Record<string, [Files, object?]>, string, string, RegExp]>([
    [
      'a part of Node',
      { uses: [{ 'index.js': '\nmodule.exports = require("fs")' }] },
      'uses',
      'dependencies.uses',
      /cannot be bundled: the import "fs" is a Node.js module.*\(in index.js, line 2\)/,
    ],
    [
      'a part of Node by its full name',
      { uses2: [{ 'index.js': 'import "node:net"' }] },
      'uses2',
      'dependencies.uses2',
      /"node:net" is a Node.js module/,
    ],
    [
      'a package that is not in the lock',
      { half: [{ 'index.js': 'module.exports = require("not-there/x")' }] },
      'half',
      'dependencies.half',
      /"not-there\/x" is not in the dependencies: add not-there with its version/,
    ],
    [
      'the same of the handler',
      { some: [{ 'index.js': '' }] },
      'other',
      'handler',
      /"other" is not in the dependencies.*\(line 1\)/,
    ],
    [
      'a file outside of the package',
      { leaves: [{ 'index.js': 'import "../../../../etc/passwd"' }] },
      'leaves',
      'dependencies.leaves',
      /must not leave the folder/,
    ],
    [
      'a file of the machine',
      { reads: [{ 'index.js': 'import x from "/etc/passwd"; export default x' }] },
      'reads',
      'dependencies.reads',
      /must be a package, not a file path/,
    ],
    [
      'main outside of the package',
      { main: [{ 'a.js': '' }, { main: '../../../etc/hostname' }] },
      'main',
      'handler',
      /is not a file of main/,
    ],
    [
      'exports outside of the package',
      { exp: [{ 'a.js': '' }, { exports: './../../etc/hostname' }] },
      'exp',
      'handler',
      /must not leave its package/,
    ],
    [
      'a part that is not exported',
      { closed: [{ 'a.js': '', 'b.js': '' }, { exports: { '.': './a.js' } }] },
      'closed/b.js',
      'handler',
      /is not exported by closed/,
    ],
    [
      'an address',
      { web: [{ 'index.js': 'import "https://example.com/x.js"' }] },
      'web',
      'dependencies.web',
      /must be a package, not a URL/,
    ],
    [
      'data as an address',
      { data: [{ 'index.js': 'import "data:text/javascript,1"' }] },
      'data',
      'dependencies.data',
      /must be a package, not a URL/,
    ],
    [
      'what is no JavaScript',
      { bad: [{ 'index.js': '\n\nlet = = 1' }] },
      'bad',
      'dependencies.bad',
      /line 3/,
    ],
    [
      'JSON that is none',
      { json: [{ 'index.js': 'import "./a.json"', 'a.json': '{' }] },
      'json',
      'dependencies.json',
      /a\.json/,
    ],
    [
      'an addon',
      { addon: [{ 'index.js': 'module.exports = require("./build.node")', 'build.node': 'ELF' }] },
      'addon',
      'dependencies.addon',
      /build\.node" is not a file/,
    ],
  ])('%s', async (_title, packages, name, field, issue) => {
    const found = await errors(`import x from "${name}"; export default () => x`, createLock(packages));
    expect(found).toEqual([{ field, issue: expect.stringMatching(issue) }]);
  });

  test('no the handler has no other files', async () => {
    const [error] = await errors(
      'import x from "./x.js"; export default x',
      createLock({ y: [{ 'index.js': '' }] }),
    );
    expect(error).toMatchObject({
      field: 'handler',
      issue: expect.stringContaining('the handler has no other files'),
    });
  });

  test('an archive with a wrong integrity, and a missing archive', async () => {
    const { y } = createLock({ y: [{ 'index.js': '' }] });
    const hash = `sha512-${createHash('sha512').update('other').digest('base64')}`;
    const lock = { y: { version: y!.version, integrity: hash }, gone: { version: '9.9.9', integrity: hash } };
    const found = await errors('export default 1', lock);
    expect(found.map(({ field }) => field).toSorted()).toEqual(['dependencies.gone', 'dependencies.y']);
    expect(found.map(({ issue }) => issue).join()).toMatch(/must match its integrity/);
    expect(found.map(({ issue }) => issue).join()).toMatch(
      /not in the registry: http.*\/gone\/-\/gone-9\.9\.9\.tgz/,
    );
  });

  test.each<[string, Entry[], RegExp]>([
    [
      'a link',
      [{ name: 'package/index.js', type: '2', link: '/etc/passwd' }],
      /cannot be used: its archive contains a link: "package\/index\.js"/,
    ],
    [
      'a path upwards',
      [{ name: 'package/../../../tmp/weft-evil.js', content: '1' }],
      /cannot be used: its archive contains a disallowed path:/,
    ],
    ['a bomb', [{ name: 'package/index.js', content: new Uint8Array(80_000_000) }], /more than \d+ bytes/],
    [
      'very many files',
      Array.from({ length: 10_001 }, (_, i) => ({ name: `package/${i}.js` })),
      /more than 10000 files/,
    ],
  ])('an archive with %s', async (_title, entries, issue) => {
    const lock = { hostile: registry.publish('hostile', '1.0.0', packTarball(entries)) };
    const [error] = await errors('import "hostile"; export default () => 1', lock);
    expect(error?.field).toBe('dependencies.hostile');
    expect(error?.issue).toMatch(issue);
    expect(existsSync('/tmp/weft-evil.js')).toBe(false);
  });

  test('an archive that is too large, before all of it has come', async () => {
    const bytes = Buffer.alloc(9 * 1024 * 1024);
    const [error] = await errors('export default 1', { large: registry.publish('large', '1.0.0', bytes) });
    expect(error?.issue).toMatch(/more than 8388608 bytes/);
  });

  test('more code than is kept', async () => {
    const lock = createLock({ fat: [{ 'index.js': `module.exports = "${'x'.repeat(2_200_000)}"` }] });
    const [error] = await errors('import x from "fat"; export default () => x', lock);
    expect(error).toMatchObject({ field: 'dependencies', issue: expect.stringMatching(/at most 2097152/) });
  });

  test.each([
    ['../x', /must be the install path of a package/],
    ['node_modules/x', /must be the install path of a package/],
    ['A b', /must be the install path of a package/],
    ['__proto__', /must be the install path of a package/],
    [Array(11).fill('a').join('/node_modules/'), /nested at most 10 packages deep/],
    ['x/node_modules/y', /must not be nested in x, which is not in the dependencies/],
  ])('the path %s', async (path, issue) => {
    const lock = JSON.parse(
      `{${JSON.stringify(path)}: {"version": "1.0.0", "integrity": "x"}}`,
    ) as PackageLock;
    expect((await errors('export default 1', lock))[0]?.issue).toMatch(issue);
  });

  test('a registry at a private address that is not allowed, and none at all', async () => {
    const closed = egressTo('');
    const lock = createLock({ y: [{ 'index.js': '' }] });
    const before = registry.asked.length;
    expect((await errors('export default 1', lock, { egress: closed }))[0]?.issue).toMatch(
      /could not be fetched: .*127\.0\.0\.1/,
    );
    expect((await errors('export default 1', lock, { registry: null }))[0]?.issue).toMatch(
      /must be empty: packages are disabled on this server/,
    );
    expect(registry.asked.length).toBe(before);
    await closed.close();
  });
});

describe('runs no code of a package', () => {
  test('no script, and no code', async () => {
    const mark = '/tmp/weft-script-ran';
    const lock = createLock({
      runs: [
        {
          'index.js': `module.exports = 1; globalThis.ran = 1; try { require("fs").writeFileSync("${mark}", "") } catch {}`,
        },
        {
          scripts: {
            preinstall: `touch ${mark}`,
            install: `touch ${mark}`,
            postinstall: `touch ${mark}`,
            prepare: `touch ${mark}`,
          },
        },
      ],
    });
    expect(await run('import x from "runs"; export default () => [x, globalThis.ran]', lock)).toEqual([1, 1]);
    expect(existsSync(mark)).toBe(false);
  });

  test('code that crashes or blocks the bundling process fails alone', async () => {
    const deep = createLock({ deep: [{ 'index.js': `module.exports = ${'['.repeat(3_000_000)}` }] });
    const [error] = await errors('import x from "deep"; export default () => x', deep);
    expect(error?.issue).toMatch(/could not be bundled|cannot be bundled|come to/);
    const stuck = {
      command: process.execPath,
      args: ['-e', 'console.log("ready"); process.kill(process.pid, "SIGKILL")'],
      lacks: '',
    };
    const y = createLock({ y: [{ 'index.js': '' }] });
    expect((await errors('export default 1', y, { launches: () => [stuck] }))[0]?.issue).toMatch(
      /could not be bundled: the bundling process crashed/,
    );
    const none = { command: '/nonexistent', args: [], lacks: '' };
    expect((await errors('export default 1', y, { launches: () => [none] }))[0]?.issue).toMatch(
      /on this machine/,
    );
    expect(await run('import "y"; export default () => 1', y)).toBe(1);
  });

  test('one registration of an owner at a time', async () => {
    const lock = createLock({ y: [{ 'index.js': '' }] });
    const first = bundler.bundle('same', 'export default () => 1', lock);
    await expect(bundler.bundle('same', 'export default () => 1', lock)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    expect((await first).kind).toBe('bundle');
    expect((await bundler.bundle('same', 'export default () => 1', lock)).kind).toBe('bundle');
  });

  test('closing ends bundling in progress', async () => {
    const own = createPackageBundler({ registry: registry.url, egress });
    const slow = { 'slow-one': { version: '1.0.0', integrity: 'x' } };
    const under = own.bundle('a', 'export default 1', slow);
    setTimeout(() => own.close(), 100);
    expect(await under).toMatchObject({ kind: 'refused' });
  });
});
