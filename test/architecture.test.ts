import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allowedImports } from './layers.ts';

/** Packages and built-in modules with the files and folders that may import them, and the reason. */
const restricted: [RegExp, readonly string[], string][] = [
  [/^(fastify|@fastify\/)/, ['api', 'app'], 'only api/ handles HTTP'],
  [/^ws$/, ['api'], 'only api/ handles WebSockets'],
  [
    /^(better-sqlite3|pg|mysql2|ioredis|bullmq)$/,
    [
      'store',
      'coordination',
      'cli',
      'runner/postgres/postgres-session.ts',
      'runner/mysql',
      'runner/redis',
      'lib/network/redis-tls-connector.ts',
    ],
    'only store/ and coordination/ use a database, and the nodes of database servers',
  ],
  [/^oidc-provider$/, ['auth', 'api'], 'only auth/ and api/oauth/ use the authorization server'],
  [/^graphql(-|\/|$)/, ['api'], 'only api/ handles GraphQL'],
  [/^undici$/, ['runner'], 'outgoing requests pass the egress client'],
  [/^nodemailer(\/|$)/, ['runner/smtp/smtp.ts'], 'mails use a connection of the egress client'],
  [/^imapflow(\/|$)/, ['runner/imap'], 'mailboxes use a connection of the egress client'],
  [/^prom-client$/, ['services'], 'only services/observability/ defines metrics'],
  [
    /^@opentelemetry\//,
    ['services/observability/tracing.ts'],
    'one file exports traces, and is loaded only when tracing is configured',
  ],
  [
    /^node:(http|https|http2|net|tls|dgram|dns)/,
    ['api', 'runner', 'auth', 'contract', 'lib'],
    'only the egress client connects to the network',
  ],
  [
    /^node:(child_process|vm|cluster)/,
    ['runner/sandbox', 'runner/packages', 'runner/packs'],
    'only the sandbox, the package bundler and packs start processes',
  ],
  [/^isolated-vm$/, ['runner/sandbox/sandbox-process.ts'], 'code of users runs in a process of its own'],
  [/^@scalar\//, ['runner/openapi'], 'documents of others are parsed in a process of its own'],
  [
    /^markdown-it$/,
    ['runner/documents', 'lib/text/message-markdown.ts'],
    'documents of others are parsed in a process of its own; messages to people are short and contain no HTML',
  ],
  [
    /^(cheerio|feedsmith|hucre|mailparser|sanitize-html|turndown|turndown-plugin-gfm|unpdf)(\/|$)/,
    ['runner/documents'],
    'documents of others are parsed in a process of its own',
  ],
  [/^(yauzl|yazl)$/, ['nodes/files'], 'only the zip node reads and writes archives'],
  [/^esbuild$/, ['runner/packages/bundle-process.ts'], 'code of users is parsed in a process of its own'],
  [
    /^node:fs/,
    [
      'store',
      'auth',
      'cli',
      'app',
      'config/config.ts',
      // Files that settings name.
      'config/model-prices.ts',
      'config/tracing.ts',
      'runner/sandbox',
      'runner/packages/bundle-process.ts',
      'runner/packs',
      // Temporary files without a name.
      'runner/object-storage/part-buffer.ts',
    ],
    'no node and no API opens a file by name',
  ],
];

const root = resolve(import.meta.dirname, '../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts'));

function readImports(file: string): string[] {
  return parseImports(readFileSync(join(root, file), 'utf8'));
}

function parseImports(text: string): string[] {
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm,
    ),
  ].map((m) => (m[1] ?? m[2] ?? m[3])!);
}

const getLayer = (file: string) => file.split('/')[0]!;
const isTest = (file: string) => file.endsWith('.test.ts') || /\/(conformance|testing)\//.test(file);

function findForbiddenImport(file: string, specifier: string): string | null {
  const layer = getLayer(file);
  if (!specifier.startsWith('.')) {
    const rule = restricted.find(([name]) => name.test(specifier));
    const isAllowedIn = (location: string): boolean => file === location || file.startsWith(`${location}/`);
    return rule === undefined || rule[1].some(isAllowedIn) ? null : `${file} → ${specifier}: ${rule[2]}`;
  }
  const target = relative(root, resolve(root, dirname(file), specifier));
  const to = getLayer(target);
  const may = allowedImports[layer];
  if (may === undefined) return `${file}: the layer ${layer} is not in test/layers.ts`;
  if (to === layer || may.includes('*') || may.includes(to) || may.includes(target)) return null;
  return `${file} → ${target}`;
}

test('the root folder contains no images', () => {
  const found = readdirSync(resolve(root, '..')).filter((name) => /\.(png|jpe?g|gif|webp)$/.test(name));
  expect(found).toEqual([]);
});

describe('the direction of imports', () => {
  const production = sources.filter((f) => !isTest(f));

  test('lower layers never import higher ones, and restricted packages stay where they are allowed', () => {
    expect(production.length).toBeGreaterThan(20);
    const found = production
      .flatMap((file) => readImports(file).map((s) => findForbiddenImport(file, s)))
      .filter((b) => b !== null);
    expect(found).toEqual([]);
  });

  test('services do not import each other', () => {
    const services = production.filter((f) => f.startsWith('services/') && f.endsWith('.service.ts'));
    const found = services.flatMap((file) =>
      readImports(file)
        .filter((s) => s.endsWith('.service.ts'))
        .map((s) => `${file} → ${s}`),
    );
    expect(found).toEqual([]);
  });

  test('the rules report forbidden imports', () => {
    expect(findForbiddenImport('lib/ids.ts', '../engine/plan.ts')).toBe('lib/ids.ts → engine/plan.ts');
    expect(findForbiddenImport('engine/state.ts', '../nodes/registry.ts')).toBe(
      'engine/state.ts → nodes/registry.ts',
    );
    expect(findForbiddenImport('nodes/http/x.node.ts', 'undici')).toContain('egress client');
    expect(findForbiddenImport('services/x.service.ts', 'fastify')).toContain('only api/');
    expect(findForbiddenImport('runner/node-runner.ts', 'node:child_process')).toContain('start processes');
    expect(findForbiddenImport('runner/sandbox/sandbox-child.ts', 'node:child_process')).toBeNull();
    expect(findForbiddenImport('runner/sandbox/sandbox-child.ts', 'isolated-vm')).toContain(
      'a process of its own',
    );
    expect(findForbiddenImport('engine/state.ts', './graph.ts')).toBeNull();
  });

  test('imports have no cycle', () => {
    const graph = new Map(
      production.map((file) => [
        file,
        readImports(file)
          .filter((s) => s.startsWith('.'))
          .map((s) => relative(root, resolve(root, dirname(file), s))),
      ]),
    );
    const done = new Set<string>();
    for (const start of graph.keys()) {
      const path: string[] = [];
      const open: { file: string; next: number }[] = [{ file: start, next: 0 }];
      while (open.length > 0) {
        const top = open.at(-1)!;
        if (top.next === 0) path.push(top.file);
        const next = graph.get(top.file)?.[top.next++];
        if (next === undefined || done.has(top.file)) {
          done.add(top.file);
          path.pop();
          open.pop();
        } else {
          expect(path, `cycle through ${next}`).not.toContain(next);
          if (!done.has(next)) open.push({ file: next, next: 0 });
        }
      }
    }
  });

  test('time, randomness and the environment are injected', () => {
    const pure = production.filter((f) =>
      ['engine', 'expressions', 'nodes', 'contract', 'lib', 'ports'].includes(getLayer(f)),
    );
    const banned = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\bprocess\./;
    const found = pure.filter((f) =>
      banned.test(readFileSync(join(root, f), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')),
    );
    expect(found).toEqual([]);
    const readers = production.filter(
      (f) => !['config/config.ts', 'app/start.ts', 'cli/weft.ts'].includes(f),
    );
    expect(readers.filter((f) => /\bprocess\.env\b/.test(readFileSync(join(root, f), 'utf8')))).toEqual([]);
  });

  test('the client is a separate package and imports only its own files', () => {
    const client = resolve(root, '../sdk/src');
    const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !isTest(`sdk/${file}`),
    );
    expect(files.length).toBeGreaterThan(10);
    const users = production.filter((file) => readImports(file).some((s) => /\/sdk\/src\//.test(s)));
    expect(users.filter((file) => getLayer(file) !== 'cli')).toEqual([]);
    const found = files.flatMap((file) =>
      parseImports(readFileSync(join(client, file), 'utf8'))
        .filter(
          (s) => !s.startsWith('.') || relative(client, resolve(client, dirname(file), s)).startsWith('..'),
        )
        .map((s) => `sdk/src/${file} → ${s}`),
    );
    expect(found).toEqual([]);
  });

  test('the editor uses the service only through the client', () => {
    const web = resolve(root, '../web/src');
    const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tsx?$/.test(file),
    );
    expect(files.length).toBeGreaterThan(10);
    const found = files.flatMap((file) =>
      parseImports(readFileSync(join(web, file), 'utf8'))
        .filter(
          (s) =>
            (s.startsWith('.') && relative(web, resolve(web, dirname(file), s)).startsWith('..')) ||
            s.startsWith('node:'),
        )
        .map((s) => `web/src/${file} → ${s}`),
    );
    expect(found).toEqual([]);
    const users = sources.filter((file) => readImports(file).some((s) => /\bweb\/src\//.test(s)));
    expect(users).toEqual([]);
  });

  test('dynamic imports of packages use the default export', () => {
    // In the bundle, a dynamically imported CommonJS module has no named exports.
    const named =
      /\{\s*(?!default\b)\w[^{}]*\}\s*=\s*await import\('[^.]|import\('[^.'][^']*'\)\s*\.then\(\(\{\s*(?!default\b)\w/;
    expect(production.filter((file) => named.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
    expect("const { Client } = await import('pg');").toMatch(named);
    expect("import('undici').then(({ Agent }) =>").toMatch(named);
    expect("const { default: pg } = await import('pg');").not.toMatch(named);
    expect("const { makeProvider } = await import('./provider.ts');").not.toMatch(named);
  });

  test('no folder has more than 25 files', () => {
    // A migration is one numbered file; generated files are not read side by side.
    const exempt = new Set(['src/store/migrations']);
    const counts = new Map<string, number>();
    for (const folder of ['src', 'sdk/src', 'web/src', 'test'])
      for (const entry of readdirSync(resolve(root, '..', folder), {
        recursive: true,
        withFileTypes: true,
      })) {
        const parent = relative(resolve(root, '..'), entry.parentPath);
        if (entry.isFile() && !/(?:^|\/)(?:generated|node_modules)(?:\/|$)/.test(parent))
          counts.set(parent, (counts.get(parent) ?? 0) + 1);
      }
    expect(counts.size).toBeGreaterThan(50);
    const found = [...counts].filter(([folder, count]) => count > 25 && !exempt.has(folder));
    expect(found).toEqual([]);
  });

  test('no file has more than 400 lines, and no test more than 620', () => {
    const tooLong = ['src', 'web/src', 'sdk/src', 'test'].flatMap((folder) =>
      readdirSync(resolve(root, '..', folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/(?:^|\/)(?:generated|node_modules)\//.test(file))
        .flatMap((file) => {
          const lines = readFileSync(resolve(root, '..', folder, file), 'utf8')
            .trimEnd()
            .split('\n').length;
          return lines > (/\.test(?:-d)?\.tsx?$/.test(file) ? 620 : 400) ? `${folder}/${file}: ${lines}` : [];
        }),
    );
    expect(tooLong).toEqual([]);
  });

  test('a node file is named after its type', () => {
    const names = production.filter((f) => f.endsWith('.node.ts'));
    expect(names.length).toBeGreaterThan(4);
    for (const file of names) {
      const type = readFileSync(join(root, file), 'utf8').match(
        /define(?:Node|Connector)\(\{\s*type: '([a-z\d_]+)'/,
      )?.[1];
      expect(`${type?.replaceAll('_', '-')}.node.ts`).toBe(file.split('/').at(-1));
    }
  });
});
