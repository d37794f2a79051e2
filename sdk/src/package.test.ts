import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
} from '../../test/support/service.ts';
import { greeting } from '../../test/api/definitions.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = createTempFolder();
/** Installs the package as npm would. */
const installed = path.join(folder.path, 'node_modules', 'weft-client');
let weft: SpawnedService;

beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  const built = spawnSync(process.execPath, [
    path.join(root, 'scripts/build-client.mjs'),
    path.join(installed, 'dist'),
  ]);
  expect(built.status, String(built.stderr)).toBe(0);
  cpSync(path.join(root, 'sdk/package.json'), path.join(installed, 'package.json'));
  weft = await spawnService({ dataDir: path.join(folder.path, 'data') });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

/** An older Node installed beside the one that runs the tests. */
function otherNode(): string {
  const found = ['/usr/local/bin/node', '/usr/bin/node', process.execPath].filter((file) => existsSync(file));
  return (
    found.find((file) => String(spawnSync(file, ['--version']).stdout).startsWith('v20.')) ?? process.execPath
  );
}

const program = `
  import { createClient, signWebhook, NotFoundError } from 'weft-client';
  const client = createClient({ baseUrl: process.argv[2] });
  await client.auth.login({ email: process.argv[3], password: process.argv[4] });
  const workflow = await client.workflows.create({ name: 'x', definition: JSON.parse(process.argv[5]) });
  const execution = await client.executions.run(workflow.id, { name: 'Ada' });
  const lines = [];
  for await (const { message } of client.executions.logs.follow(execution.id)) lines.push(message);
  const missing = await client.workflows.get('wf_none').catch((error) => error instanceof NotFoundError);
  const live = globalThis.WebSocket === undefined
    ? await client.live.executions().next().catch((error) => error.message)
    : (await client.live.executions({ executionId: execution.id }).next()).value.status;
  const signature = await signWebhook('key', 'body', 1);
  console.log(JSON.stringify({ output: execution.output, lines, missing, live, signature }));
`;

test('the build runs on its own on the oldest supported Node', async () => {
  const file = path.join(folder.path, 'program.mjs');
  writeFileSync(file, program);
  for (const node of new Set([otherNode(), process.execPath])) {
    const args = [file, weft.url, adminEmail, adminPassword, JSON.stringify(greeting)];
    const child = spawn(node, args, { stdio: 'pipe', timeout: 20_000 });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    expect(await new Promise((resolve) => child.once('close', resolve)), printed).toBe(0);
    const response = JSON.parse(printed) as Record<string, unknown>;
    expect(response).toMatchObject({
      output: { text: 'Dear Ada' },
      missing: true,
      live: expect.stringMatching(/^completed$|give createClient one/) as string,
      signature: 't=1,v1=91b5374b153842ad05b2c4eab9349b8321b14703165bd3fb8b034dfb8be98ae5',
    });
    expect((response['lines'] as string[]).at(-1)).toBe('Execution completed');
  }
});

test('the types compile without the sources, for browsers and for Node', () => {
  writeFileSync(
    path.join(folder.path, 'use.ts'),
    `import { createClient, type Execution } from 'weft-client';
     const client = createClient({ baseUrl: '', apiKey: '' });
     export const one: Promise<Execution> = client.executions.get('ex_1');
     // @ts-expect-error there is no such operation
     export const two = client.executions.got('ex_1');`,
  );
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const common = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const browser = ['--types', '', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable'];
  const node = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types'), '--lib', 'es2023'];
  writeFileSync(path.join(folder.path, 'package.json'), '{"type":"module"}');
  for (const fixture of [browser, node]) {
    const checked = spawnSync(process.execPath, [tsc, ...common, ...fixture, 'use.ts'], { cwd: folder.path });
    expect(checked.status, String(checked.stdout)).toBe(0);
  }
});

test('the package contains the files it names, no dependencies and no tests', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'sdk/package.json'), 'utf8')) as {
    dependencies?: object;
    exports: { '.': Record<string, string> };
    version: string;
  };
  expect(manifest.dependencies).toBeUndefined();
  for (const file of Object.values(manifest.exports['.']))
    expect(existsSync(path.join(installed, file)), file).toBe(true);
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: path.join(root, 'sdk'),
    env: { ...process.env, npm_config_offline: 'true' },
  });
  const [{ files }] = JSON.parse(String(packed.stdout)) as [{ files: { path: string }[] }];
  const names = files.map((file) => file.path);
  expect(names).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
  expect(names.filter((name) => /test|src\//.test(name))).toEqual([]);
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  expect(manifest.version).toBe(own.version);
});
