import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import { createTempFolder } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { withLock } = createRequire(import.meta.url)('../../scripts/process-lock.cjs') as {
  withLock: <T>(
    root: string,
    name: string,
    waitMs: number,
    onWait: () => void,
    work: () => Promise<T>,
  ) => Promise<T>;
};

/** How long a test waits for another one that is packing. */
const PACK_WAIT_MS = 120_000;
const START_LIMIT_MS = 45_000;
const INSTALL_LIMIT_MS = 600_000;

/** Codes of npm's errors for a registry that does not respond. */
const UNREACHABLE =
  /^npm error code (E(NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTCACHED|SOCKETTIMEDOUT|5\d\d|RR_SOCKET_TIMEOUT)|\w*CERT\w*|FETCH_ERROR)$/m;
const FETCH_OPTIONS = ['--prefer-offline', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=10000'];

/** npm's registry does not respond, and its cache lacks a package. */
class RegistryError extends Error {
  constructor(command: string, printed: string) {
    const cause = printed.split('\n', 4).join('\n');
    super(
      `${command}: the npm registry ${npmSettings['npm_config_registry'] ?? ''} cannot be reached:\n${cause}`,
    );
    this.name = 'RegistryError';
  }
}

/**
 * Runs `install` before the tests of the file. When npm cannot reach its registry, the tests are skipped and
 * the reason is printed; with TEST_SERVICES=required they fail.
 */
export function installBeforeAll(install: () => Promise<void>): void {
  let reason: string | null = null;
  beforeAll(async () => {
    try {
      await install();
    } catch (error) {
      if (!(error instanceof RegistryError) || process.env['TEST_SERVICES'] === 'required') throw error;
      reason = error.message;
      process.stderr.write(`Skipping the tests of the package. ${reason}\n`);
    }
  }, INSTALL_LIMIT_MS);
  beforeEach(({ skip }) => skip(reason !== null, reason ?? ''));
}

export type CommandResult = { code: number | null; stdout: string; stderr: string };
export type RunOptions = { input?: string; env?: Record<string, string>; cwd?: string };

/** How npm reaches its registry here. The rest of the environment stays out. */
const npmSettings = {
  ...Object.fromEntries(
    ['cache', 'userconfig', 'registry', 'cafile']
      .map((name) => [name, spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim()])
      .filter(([, value]) => value !== 'null')
      .map(([name, value]) => [`npm_config_${name}`, value]),
  ),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_proxy)$/i.test(name),
    ),
  ),
};

export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<CommandResult> {
  const child = spawn(program, args, { cwd, env });
  const ran: CommandResult = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (ran.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (ran.stderr += chunk.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ran, code }));
  });
}

/** A folder with an empty home, and packages in it. */
export class Installation {
  readonly #folder = createTempFolder();
  #installed = 0;
  readonly folder = this.#folder.path;
  readonly home = path.join(this.folder, 'home');
  /** Empty until something is run in it. */
  readonly work = path.join(this.folder, 'work');

  constructor() {
    for (const folder of [this.home, this.work]) mkdirSync(folder);
  }

  remove(): void {
    this.#folder.remove();
  }

  /** What programs see: an empty home, and this Node before any other. */
  environment(node: string): Record<string, string> {
    return {
      PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
      HOME: this.home,
      LANG: 'C.UTF-8',
    };
  }

  async npm(args: readonly string[], cwd: string, node = process.execPath): Promise<CommandResult> {
    const env = { ...this.environment(node), ...npmSettings };
    const options = [...FETCH_OPTIONS, '--no-audit', '--no-fund', '--loglevel=error'];
    const ran = await run('npm', [...options, ...args], cwd, env);
    if (ran.code === 0) return ran;
    const command = `npm ${args.join(' ')}`;
    if (UNREACHABLE.test(ran.stderr)) throw new RegistryError(command, ran.stderr);
    throw new Error(`${command} failed:\n${ran.stdout}${ran.stderr}`);
  }

  /** `npm pack` in a folder of the repository; the tarball. */
  async pack(from = '.'): Promise<string> {
    const { stdout } = await withLock(
      root,
      'pack',
      PACK_WAIT_MS,
      () => {},
      () => this.npm(['pack', '--silent', '--pack-destination', this.folder], path.join(root, from)),
    );
    return path.join(this.folder, stdout.trim().split('\n').at(-1)!);
  }

  /** Another Node, from the package of its binary. */
  async installNode(version: string): Promise<string> {
    const name = `node-${process.platform}-${process.arch}`;
    const folder = path.join(this.folder, `node-${version}`);
    mkdirSync(folder);
    await this.npm(['install', '--prefix', folder, `${name}@${version}`], folder);
    return path.join(folder, 'node_modules', name, 'bin', 'node');
  }

  /** `npm install --global` of a tarball with this Node; its command `weft`. */
  async installGlobally(tarball: string, node = process.execPath): Promise<Weft> {
    const prefix = path.join(this.folder, `global-${++this.#installed}`);
    await this.npm(['install', '--global', '--prefix', prefix, tarball], this.work, node);
    return new Weft(path.join(prefix, 'bin', 'weft'), this.work, this.environment(node));
  }
}

/** An installed command. */
export class Weft {
  readonly bin: string;
  readonly cwd: string;
  readonly env: Record<string, string>;

  constructor(bin: string, cwd: string, env: Record<string, string>) {
    this.bin = bin;
    this.cwd = cwd;
    this.env = env;
  }

  run(args: readonly string[], { input, env = {}, cwd = this.cwd }: RunOptions = {}): Promise<CommandResult> {
    return run(this.bin, args, cwd, { ...this.env, ...env }, input);
  }

  /** `weft start` in an empty folder, on a free port. */
  async start(
    env: Record<string, string> = {},
  ): Promise<{ url: string; password: string; stop(): Promise<number | null> }> {
    const child: ChildProcess = spawn(this.bin, ['start'], {
      cwd: this.cwd,
      env: { ...this.env, PORT: '0', WEFT_LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let printed = '';
    const url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`weft start printed no address:\n${printed}`));
      }, START_LIMIT_MS);
      const read = (chunk: Buffer): void => {
        printed += chunk.toString();
        // The password is on the last line that is printed.
        const found = /is ready at (\S+)[\s\S]*with the password \S+/.exec(printed);
        if (found === null) return;
        clearTimeout(timer);
        resolve(found[1]!);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      void exited.then((code) => reject(new Error(`weft start ended with ${code}:\n${printed}`)));
    });
    return {
      url,
      password: /with the password (\S+)/.exec(printed)![1]!,
      stop() {
        child.kill('SIGTERM');
        return exited;
      },
    };
  }
}
