// Runs the entry scripts in a temporary checkout, with a fake `npm` and a fake service.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { findWeftProgram } from '../test/support/program.ts';

const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: { '': {}, 'node_modules/one': { version: '1.0.0' } },
});
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Checkout = { root: string; npmLog: string; env: NodeJS.ProcessEnv };

/**
 * A checkout with these scripts, a built service with the source `service`, and an `npm` that records each
 * call.
 */
function checkout(
  service: string,
  npm: string = `mkdir -p node_modules/one && echo '{}' > node_modules/one/package.json`,
): Checkout {
  const root = mkdtempSync(path.join(tmpdir(), 'weft-checkout-'));
  folders.push(root);
  cpSync(import.meta.dirname, path.join(root, 'scripts'), { recursive: true });
  writeFileSync(path.join(root, 'package-lock.json'), LOCK);
  writeFileSync(path.join(root, 'package.json'), '{"type":"module"}');
  mkdirSync(path.join(root, 'dist'));
  writeFileSync(path.join(root, 'dist', 'weft.js'), service);
  const bin = path.join(root, 'bin');
  const npmLog = path.join(root, 'npm.log');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\necho "$@" >> ${npmLog}\n${npm}\n`);
  chmodSync(path.join(bin, 'npm'), 0o755);
  // Preloaded with `-r`: reports another version than Node 24 to the scripts.
  writeFileSync(
    path.join(root, 'old.cjs'),
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
  );
  return { root, npmLog, env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` } };
}

function markInstalled(root: string): void {
  mkdirSync(path.join(root, 'node_modules'));
  writeFileSync(
    path.join(root, 'node_modules', '.weft-installed'),
    createHash('sha256').update(LOCK).digest('hex'),
  );
}

function linkNode(root: string): void {
  mkdirSync(path.join(root, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(process.execPath, path.join(root, 'node_modules', '.bin', 'node'));
}

const run = ({ root, env }: Checkout, args: string[]) =>
  spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8', timeout: 20_000 });

function start({ root, env }: Checkout, args: string[]): { child: ChildProcess; printed: () => string } {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, printed: () => text };
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('the condition was not met within 10 s');
    await sleep(10);
  }
}

const PRINTS_ARGUMENTS = `console.log('service', ...process.argv.slice(2)); process.exitCode = 7;`;

test('the first start installs, reports it, and passes arguments and the exit status through', () => {
  const project = checkout(PRINTS_ARGUMENTS);
  const first = run(project, ['scripts/task.cjs', 'start', '--verbose']);
  expect(first.stderr).toContain('dependencies are not installed yet; running npm ci');
  expect(first.stdout).toBe('service start --verbose\n');
  expect(first.status).toBe(7);
  const second = run(project, ['scripts/task.cjs', 'start']);
  expect(second.stderr).toBe('');
  expect(readFileSync(project.npmLog, 'utf8').trim().split('\n')).toHaveLength(1);
});

const PRINTS_OPTIONS = `console.log(JSON.stringify(process.execArgv));`;

test('`npm start` sets the size of the young generation, also when an old Node runs the installed one', () => {
  const project = checkout(PRINTS_OPTIONS);
  markInstalled(project.root);
  linkNode(project.root);
  const { scripts } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8'),
  ) as { scripts: { start: string } };
  const [program, ...args] = scripts.start.split(' ');
  expect(program).toBe('node');
  expect(JSON.parse(run(project, args).stdout)).toEqual(['--max-semi-space-size=8']);
  const handedOver = run(project, ['-r', './old.cjs', ...args]);
  expect(JSON.parse(handedOver.stdout)).toEqual(['--max-semi-space-size=8']);
});

test('a manual installation is accepted, and a changed lock file installs again', () => {
  const project = checkout(PRINTS_ARGUMENTS);
  mkdirSync(path.join(project.root, 'node_modules'));
  writeFileSync(path.join(project.root, 'node_modules', '.package-lock.json'), LOCK);
  expect(run(project, ['scripts/task.cjs', 'start']).stderr).toBe('');
  expect(existsSync(project.npmLog)).toBe(false);
  writeFileSync(path.join(project.root, 'package-lock.json'), LOCK.replace('1.0.0', '2.0.0'));
  expect(run(project, ['scripts/task.cjs', 'start']).stderr).toContain('does not match package-lock.json');
});

test('two concurrent starts install once', async () => {
  const project = checkout(PRINTS_ARGUMENTS, 'sleep 1; mkdir -p node_modules/one');
  const both = [start(project, ['scripts/task.cjs', 'start']), start(project, ['scripts/task.cjs', 'start'])];
  const codes = await Promise.all(both.map(({ child }) => once(child, 'close')));
  expect(codes.map(([code]) => code as number)).toEqual([7, 7]);
  expect(readFileSync(project.npmLog, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(both.filter(({ printed }) => printed().includes('is already installing'))).toHaveLength(1);
});

test('a start that was killed during its installation does not block others', async () => {
  const project = checkout(PRINTS_ARGUMENTS, 'exec sleep 5');
  const killed = start(project, ['scripts/task.cjs', 'start']);
  await until(() => existsSync(project.npmLog));
  const ended = once(killed.child, 'exit');
  killed.child.kill('SIGKILL');
  await ended;
  writeFileSync(path.join(project.root, 'bin', 'npm'), '#!/bin/sh\nmkdir -p node_modules/one\n');
  expect(run(project, ['scripts/task.cjs', 'start']).status).toBe(7);
});

test('a failed installation prints one line and is retried at the next start', () => {
  const project = checkout(PRINTS_ARGUMENTS, 'exit 3');
  const failed = run(project, ['scripts/task.cjs', 'start']);
  expect(failed.status).toBe(1);
  expect(failed.stderr.trim().split('\n').at(-1)).toBe(
    'weft: npm ci ended with status 3; its own message is above',
  );
  run(project, ['scripts/task.cjs', 'start']);
  expect(readFileSync(project.npmLog, 'utf8').trim().split('\n')).toHaveLength(2);
});

test.each(['scripts/task.cjs', 'scripts/weft.cjs'])(
  '%s on an old Node without the installed one prints one line',
  (script) => {
    const project = checkout(PRINTS_ARGUMENTS);
    markInstalled(project.root);
    const { status, stdout, stderr } = run(project, ['-r', './old.cjs', script, 'start']);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('needs Node 24 or newer, this is 20.20.2');
  },
);

test.each(['scripts/task.cjs', 'scripts/weft.cjs'])('%s on an old Node runs the installed one', (script) => {
  const project = checkout(PRINTS_ARGUMENTS);
  markInstalled(project.root);
  linkNode(project.root);
  const { status, stdout } = run(project, ['-r', './old.cjs', script, 'start']);
  expect(stdout).toBe('service start\n');
  expect(status).toBe(7);
});

test.each([
  ['20.20.2', 1],
  ['22.11.0', 1],
  ['22.12.0', 7],
  ['24.0.0', 7],
])('an installed package on Node %s ends with status %i', (version, expected) => {
  const project = checkout(PRINTS_ARGUMENTS);
  rmSync(path.join(project.root, 'package-lock.json'));
  writeFileSync(
    path.join(project.root, 'as.cjs'),
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const { status, stdout, stderr } = run(project, ['-r', './as.cjs', 'scripts/weft.cjs', 'health']);
  expect(status).toBe(expected);
  expect(stdout).toBe(expected === 7 ? 'service health\n' : '');
  expect(stderr).toBe(
    expected === 7
      ? ''
      : `weft: Weft needs Node 24 or newer for the service and Node 22.12 or newer for the other commands, and this is Node ${version}; install a newer one from https://nodejs.org\n`,
  );
});

test.each([[[]], [['-r', './old.cjs']]])('each SIGTERM reaches the service (%j)', async (before) => {
  const project = checkout(`
    let signals = 0;
    process.on('SIGTERM', () => { signals += 1; console.log('signal', signals); if (signals === 2) process.exit(5); });
    setInterval(() => {}, 1000);
    console.log('ready');`);
  markInstalled(project.root);
  linkNode(project.root);
  const { child, printed } = start(project, [...before, 'scripts/task.cjs', 'start']);
  await until(() => printed().includes('ready'));
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await until(() => printed().includes('signal 1'));
  child.kill('SIGTERM');
  expect(await closed).toEqual([5, null]);
});

test('a service that was ended by a signal is reported', async () => {
  const project = checkout(`process.kill(process.pid, 'SIGKILL');`);
  markInstalled(project.root);
  linkNode(project.root);
  const { child } = start(project, ['-r', './old.cjs', 'scripts/task.cjs', 'start']);
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
});

test('an unknown command lists the known ones', () => {
  const { status, stderr } = run(checkout(''), ['scripts/task.cjs', 'strat']);
  expect(status).toBe(1);
  expect(stderr).toContain(
    'unknown command "strat"; must be one of start, dev, test, test:all, check, bench, build, prepack',
  );
});

test.each([
  ['test', [], ['run', '--project=unit', '--project=integration']],
  ['test', ['-t', 'a name'], ['run', '--project=unit', '--project=integration', '-t', 'a name']],
  ['test', ['--project', 'browser'], ['run', '--project', 'browser']],
  ['test', ['--project=slow'], ['run', '--project=slow']],
  ['test', ['scripts/task.cjs'], ['run', 'scripts/task.cjs']],
  ['test:all', [], ['run']],
])('npm run %s with %j runs the projects that it stands for', (command, args, expected) => {
  const project = checkout('');
  markInstalled(project.root);
  mkdirSync(path.join(project.root, 'node_modules/vitest'));
  writeFileSync(
    path.join(project.root, 'node_modules/vitest/vitest.mjs'),
    'console.log(JSON.stringify(process.argv.slice(2)));',
  );
  const { stdout } = run(project, ['scripts/task.cjs', command, ...args]);
  expect(JSON.parse(stdout)).toEqual(expected);
});

/** Adds sources that do not compile, esbuild, and a test runner that prints a line. */
function breakSources({ root }: Checkout): void {
  markInstalled(root);
  const modules = path.join(import.meta.dirname, '..', 'node_modules');
  for (const name of ['esbuild', '@esbuild'])
    symlinkSync(path.join(modules, name), path.join(root, 'node_modules', name));
  for (const folder of ['src/cli', 'templates', 'sdk/src', 'node_modules/vitest'])
    mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, 'src/cli/weft.ts'), 'const = 1;');
  writeFileSync(path.join(root, 'node_modules/vitest/vitest.mjs'), `console.log('the tests ran');`);
}

test.each(['start', 'test', 'test:all', 'bench', 'build'])(
  'npm run %s fails when the build fails, and does not run an older build',
  (command) => {
    const project = checkout(`console.log('the service ran');`);
    breakSources(project);
    const { status, stdout, stderr } = run(project, ['scripts/task.cjs', command]);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('weft: the build failed: ');
    expect(stderr).toContain('src/cli/weft.ts:1:6');
  },
);

test('npm run check builds as a step before the tests, and fails when the build fails', () => {
  const project = checkout('');
  breakSources(project);
  const { status, stdout } = run(project, ['scripts/task.cjs', 'check', 'build', 'tests']);
  expect(status).toBe(1);
  expect(stdout).toMatch(/FAILED build [\s\S]*FAILED tests /);
  expect(stdout).not.toContain('the tests ran');
});

test('the tests reject running the sources instead of a build', () => {
  const project = checkout('');
  expect(findWeftProgram(project.root)).toBe(path.join(project.root, 'dist/weft.js'));
  breakSources(project);
  expect(() => findWeftProgram(project.root)).toThrow('run "npm run build" first');
});
