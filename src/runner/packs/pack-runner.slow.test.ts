import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { getPriority } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packFixture, type PackFixture } from '../../../test/support/packs/npm-pack.ts';
import { createTempFolder } from '../../../test/support/service.ts';
import { loopbackCertificate, loopbackKey } from '../../../test/support/servers/tls-certificates.ts';
import { HttpFailure, type PackCallResult } from '../../contract/node-type.ts';
import type { PackCall } from '../../contract/packs/pack-call.ts';
import type { NpmManifest } from '../../contract/packs/npm-packs.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { createPackRunner } from './pack-runner.ts';

const folder = createTempFolder();
const archives = { demo: packFixture('demo'), hostile: packFixture('hostile') };
const warnings: string[] = [];
const options = {
  registry: null,
  egress: { send: () => Promise.reject(new Error('A test reached the registry')) },
  loadArchive: (name: string) => Promise.resolve(archives[name as PackFixture]),
  warn: (message: string) => warnings.push(message),
};
const runner = createPackRunner(options);
const manifests = new Map<string, NpmManifest>();
/** Hosts and ports of the connections that packs requested. */
const asked: string[] = [];

beforeAll(async () => {
  for (const name of ['demo', 'hostile'] as const) {
    const read = await runner.read(archives[name], AbortSignal.timeout(30_000));
    if (read.kind === 'refused') throw new Error(JSON.stringify(read.errors));
    manifests.set(name, read.manifest);
  }
});
afterAll(() => {
  runner.close();
  folder.remove();
});

type Changes = Partial<Pick<PackCall, 'auth' | 'files'>> & {
  ownerId?: string;
  signal?: AbortSignal;
  open?: (to: { host: string; port: number }) => Promise<Socket>;
  log?: (level: string, message: string) => void;
};
function call(
  fixture: PackFixture,
  operation: string,
  props: JsonObject = {},
  changes: Changes = {},
  by = runner,
): Promise<PackCallResult> {
  const { name, version, package: stated } = manifests.get(fixture)!;
  return by.run({
    pack: { name, version, integrity: stated.integrity },
    operation,
    auth: null,
    props,
    files: new Map(),
    ownerId: 'usr_a',
    signal: AbortSignal.timeout(60_000),
    log: () => {},
    open: ({ host, port }) => {
      asked.push(`${host}:${port}`);
      return Promise.reject(new HttpFailure({ type: 'forbidden', message: `${host} is not allowed` }));
    },
    ...changes,
  });
}
async function valueOf(result: Promise<PackCallResult>): Promise<Json> {
  const settled = await result;
  if (settled.kind === 'failed') throw new Error(JSON.stringify(settled.error));
  return settled.value;
}

describe('a package', () => {
  test('lists its actions with fields of each kind, its ways to authenticate and its triggers', () => {
    const manifest = manifests.get('demo')!;
    expect(manifest).toMatchObject({
      kind: 'npm',
      name: 'demo',
      version: '1.0.0',
      title: 'Demo',
      package: { name: '@weft/piece-demo', signedBy: null, license: 'MIT' },
      triggers: [
        {
          id: 'new_item',
          title: 'New item',
          strategy: 'polling',
          properties: [{ name: 'address' }, { name: 'project' }],
        },
        {
          id: 'item_changed',
          title: 'Item changed',
          strategy: 'webhook',
          handshake: { in: 'query', name: 'challenge' },
          renewal: null,
          sample: { id: 7, title: 'A changed item', tags: ['new'] },
        },
        {
          id: 'subscription',
          strategy: 'webhook',
          handshake: null,
          renewal: '* * * * * *',
          sample: { id: 1 },
        },
        { id: 'unknown_event', strategy: null, sample: null },
        { id: 'account_changed', strategy: 'app_webhook', sample: null },
      ],
    });
    expect(manifest.securitySchemes.map(({ kind }) => kind)).toEqual([
      'secret_text',
      'basic',
      'fields',
      'oauth2',
    ]);
    const [echo] = manifest.operations;
    expect(echo?.properties.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'short text',
      'long long_text',
      'count number',
      'checked checkbox',
      'when date_time',
      'color choice',
      'sizes choices',
      'lines list',
      'rows list',
      'map object',
      'raw any',
      'document file',
      'token secret',
      'project loaded_choice',
      'members loaded_choices',
      'more loaded_fields',
    ]);
    const idempotent = manifest.operations.filter((one) => one.idempotent).map(({ id }) => id);
    expect(idempotent).toEqual(['echo_fields', 'get_item', 'choose']);
    expect(manifest.warnings).toEqual([
      '1 of its triggers are listed, but cannot start workflows: they are of an unknown type, or the package cannot verify the requests of their service.',
      'The archive was uploaded: no registry vouches for it.',
    ]);
  });

  test.each([
    [
      'a tree of packages',
      { manifest: { dependencies: { axios: '1.0.0' } } },
      'is published as a tree of packages',
    ],
    ['an ES module', { manifest: { type: 'module' } }, 'must be a CommonJS module'],
    ['a missing file', { manifest: { main: 'other.js' } }, 'its main file is missing'],
    ['a file that requires another', { source: "require('./other.js')" }, 'It requires "./other.js"'],
    ['an error at its start', { source: "throw new Error('broken here')" }, 'broken here'],
    ['no piece', { source: 'exports.x = 1' }, 'exports no object with actions() and triggers()'],
    ['a pre-release', { manifest: { version: '1.0.0-beta.1' } }, 'major.minor.patch'],
  ])('with %s is refused', async (_title, changes, issue) => {
    const read = await runner.read(packFixture('demo', '1.0.0', changes), AbortSignal.timeout(30_000));
    expect(read).toMatchObject({ kind: 'refused', errors: [{ field: 'archive' }] });
    expect(JSON.stringify(read)).toContain(issue.replaceAll('"', '\\"'));
  });

  test('runs with the given fields, files and credentials, and prints to the log', async () => {
    const files = new Map([['weft-file:1', { name: 'a.txt', bytes: Buffer.from('content') }]]);
    const auth = { type: 'SECRET_TEXT', secret_text: 's3cret' };
    const props = { short: 'a', rows: [{ 'row name': 'b' }], document: 'weft-file:1' };
    expect(await valueOf(call('demo', 'echo_fields', props, { files, auth }))).toEqual({
      auth,
      values: { short: 'a', rows: [{ 'row name': 'b' }] },
      file: { name: 'a.txt', extension: 'txt', text: 'content' },
    });
    const lines: string[] = [];
    const written = await call('demo', 'write_file', {}, { log: (_level, line) => lines.push(line) });
    expect(written).toMatchObject({ kind: 'value', files: [{ name: 'note.txt' }] });
    if (written.kind === 'value') {
      expect(Buffer.from(written.files[0]!.bytes).toString()).toBe('hello');
      expect(written.value).toEqual({ saved: written.files[0]!.id });
    }
    expect(lines).toEqual(['writing a file']);
  });

  test('whose archive was changed does not run', async () => {
    const changed = Buffer.concat([archives.demo, Buffer.from('x')]);
    const other = createPackRunner({ ...options, loadArchive: () => Promise.resolve(changed) });
    try {
      const result = await call('demo', 'write_file', {}, {}, other);
      expect(JSON.stringify(result)).toContain('The stored archive of the pack demo 1.0.0 was changed');
    } finally {
      other.close();
    }
  });

  test('does not run where its process cannot be isolated', async () => {
    const before = warnings.length;
    const other = createPackRunner({ ...options, launches: () => [] });
    try {
      for (let i = 0; i < 2; i++)
        expect(await call('demo', 'write_file', {}, {}, other)).toMatchObject({
          kind: 'failed',
          error: { type: 'code', data: { code: 'CODE_UNAVAILABLE' } },
          hasConnected: false,
        });
      const read = await other.read(archives.demo, AbortSignal.timeout(30_000));
      expect(JSON.stringify(read)).toContain('cannot be used on this machine');
      expect(warnings.slice(before)).toHaveLength(1);
    } finally {
      other.close();
    }
  });

  test('has a process of its own for each owner, which ends when it is idle', async () => {
    const other = createPackRunner({ ...options, idle: 3_000 });
    try {
      await Promise.all(
        ['usr_a', 'usr_b'].map((ownerId) => call('demo', 'write_file', {}, { ownerId }, other)),
      );
      const pids = other.pids();
      expect(pids).toHaveLength(2);
      await expect.poll(() => other.pids().length, { timeout: 20_000 }).toBe(0);
      await expect
        .poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`)).length, { timeout: 20_000 })
        .toBe(0);
    } finally {
      other.close();
    }
  });

  test('has a lower priority than the service', async () => {
    const other = createPackRunner(options);
    try {
      await call('demo', 'write_file', {}, {}, other);
      const [launcher] = other.pids();
      const pid = readFileSync(`/proc/${launcher}/task/${launcher}/children`, 'utf8').trim();
      expect(getPriority(Number(pid))).toBe(10);
      const session = `/proc/${pid}/autogroup`;
      // The file is missing where the kernel does not group processes by session.
      if (existsSync(session)) expect(readFileSync(session, 'utf8')).toMatch(/ nice 10$/m);
    } finally {
      other.close();
    }
  });

  test('is replaced when its idle process was killed just before a call', async () => {
    const other = createPackRunner(options);
    const lines: string[] = [];
    try {
      await valueOf(call('hostile', 'environment', {}, {}, other));
      const [launcher = 0] = other.pids();
      process.kill(-launcher, 'SIGKILL');
      expect(other.pids()).toEqual([launcher]);
      const log = (_level: string, line: string) => lines.push(line);
      expect(await valueOf(call('hostile', 'environment', {}, { log }, other))).toMatchObject({
        refused: expect.stringContaining('empty') as string,
      });
      expect(other.pids()).not.toEqual([launcher]);
      expect(lines).toEqual([]);
    } finally {
      other.close();
    }
  });

  test('that is killed after it opened a connection is not called again', async () => {
    const other = createPackRunner(options);
    const server = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    let opened = 0;
    const open = () =>
      new Promise<Socket>((resolve, reject) => {
        opened++;
        const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket)).on('error', reject);
        server.once('connection', (inner) =>
          inner.once('data', () => other.pids().forEach((pid) => process.kill(-pid, 'SIGKILL'))),
        );
      });
    try {
      await valueOf(call('hostile', 'environment', {}, {}, other));
      const result = await call('hostile', 'insecure_tls', { host: 'localhost', port }, { open }, other);
      expect(result).toMatchObject({
        kind: 'failed',
        error: { data: { code: 'CODE_CRASHED' } },
        hasConnected: true,
      });
      expect(opened).toBe(1);
    } finally {
      other.close();
      server.close();
    }
  });

  test('is killed when its call is cancelled', async () => {
    const stopping = new AbortController();
    const other = createPackRunner(options);
    try {
      await valueOf(call('hostile', 'environment', {}, {}, other));
      const [pid] = other.pids();
      const running = call('hostile', 'endless_loop', {}, { signal: stopping.signal }, other);
      stopping.abort();
      expect(await running).toMatchObject({ kind: 'failed', error: { data: { code: 'CODE_STOPPED' } } });
      await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false);
      expect(other.pids()).toEqual([]);
    } finally {
      other.close();
    }
  });
});

describe('a hostile package', () => {
  const target = path.join(folder.path, 'written');
  const local = path.join(folder.path, 'local.sock');
  const listening = createServer((socket) => socket.end('reached'));
  beforeAll(() => new Promise<void>((resolve) => void listening.listen(local, resolve)));
  afterAll(() => void listening.close());

  test.each([
    ['reads a file', 'read_file', 'ERR_ACCESS_DENIED'],
    ['lists files', 'list_service_files', 'ERR_ACCESS_DENIED'],
    ['writes a file', 'write_file', 'ERR_ACCESS_DENIED'],
    ['runs a program', 'run_program', 'ERR_ACCESS_DENIED'],
    ['starts a worker', 'start_worker', 'ERR_ACCESS_DENIED'],
    ['loads an addon', 'load_addon', 'ERR_DLOPEN_DISABLED'],
    ['takes an internal socket', 'internal_tcp', 'ERR_ACCESS_DENIED'],
    ['takes an internal pipe', 'internal_pipe', 'ERR_ACCESS_DENIED'],
    ['looks for active requests', 'active_requests', 'none'],
    ['reads the environment', 'environment', 'empty'],
    ['reads the environment of the service', 'parent_environment', 'ERR_ACCESS_DENIED'],
    ['signals its parent', 'signal_parent', 'not visible'],
    ['signals the service', 'signal_service', 'ESRCH'],
    ['opens another socket', 'other_socket', 'EPERM'],
    ['listens', 'listen', 'EPERM'],
    ['sends UDP', 'udp', 'ENETUNREACH'],
    ['asks for a name', 'dns', 'ECONNREFUSED'],
    ['writes a head of its own', 'forge_head', 'E'],
    ['connects to a private address', 'private_address', 'E'],
  ])('that %s is refused', async (_title, operation, reason) => {
    const props = {
      path: operation === 'other_socket' ? local : target,
      host: '127.0.0.1',
      port: 22,
      pid: process.pid,
    };
    const value = await valueOf(call('hostile', operation, props));
    expect(value).toMatchObject({ refused: expect.stringContaining(reason) as string });
    expect(existsSync(target)).toBe(false);
  });

  test('asks the service for each connection, and only in a valid form', async () => {
    asked.length = 0;
    await call('hostile', 'private_address', { host: '127.0.0.1', port: 22 });
    await call('hostile', 'line_breaks');
    await call('hostile', 'forge_head', { host: '127.0.0.1', port: 22 });
    expect(asked).toEqual(['127.0.0.1:22', 'blocked.example:1']);
  });

  test('cannot turn off the verification of certificates', async () => {
    const server = createTlsServer({ cert: loopbackCertificate, key: loopbackKey });
    server.on('tlsClientError', () => {}).on('secureConnection', (socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const open = () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket)).on('error', reject);
      });
    const value = await valueOf(call('hostile', 'insecure_tls', { host: 'localhost', port }, { open }));
    server.close();
    expect(value).toEqual({
      refused: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY|DEPTH_ZERO/) as string,
    });
  });

  test('that forges a response loses its process', async () => {
    expect(await call('hostile', 'forge_response')).toMatchObject({
      kind: 'failed',
      error: { data: { code: 'CODE_CRASHED' } },
    });
  });

  test('that takes too much memory loses its process', { timeout: 60_000 }, async () => {
    expect(await call('hostile', 'endless_heap')).toMatchObject({
      kind: 'failed',
      error: { data: { code: 'CODE_OUT_OF_MEMORY' } },
    });
  });

  test('cannot flood the log or the result', { timeout: 60_000 }, async () => {
    const lines: string[] = [];
    await call('hostile', 'flood', {}, { log: (_level, line) => lines.push(line) });
    expect(lines.join('').length).toBeLessThanOrEqual(64 * 1024);
    expect(lines.length).toBeGreaterThan(10);
    expect(await call('hostile', 'large_result')).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('16777216 bytes') as string },
    });
  });
});
