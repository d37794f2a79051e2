import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import { createClient, type Client } from '../../sdk/src/index.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import {
  runWeft,
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
} from '../support/service.ts';

export type CommandResult = { code: number | null; stdout: string; stderr: string };
export type RunOptions = {
  input?: string;
  env?: Record<string, string>;
  columns?: number;
  hasColor?: boolean;
  /** As if a person sat there; `input` is what is typed. */
  isTyped?: boolean;
  signal?: AbortSignal;
};

/**
 * A service, a folder for files and profiles, and the built command against that service, for the tests of
 * one file. Only where a test plays the terminal (what is typed, its width, its colors) does the command run
 * in this process.
 */
export function useWeftCommand() {
  const folder = createTempFolder();
  let service: SpawnedService;
  let key = '';
  let client: Client;
  beforeAll(async () => {
    // Tests read in the metrics when a command has connected.
    service = await spawnService({ dataDir: `${folder.path}/data`, env: { WEFT_METRICS: 'on' } });
    client = createClient({ baseUrl: service.url });
    await client.auth.login({ email: adminEmail, password: adminPassword });
    ({ key } = await client.apiKeys.create({ name: 'of the tests' }));
  });
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  /** `env` replaces the command's environment besides its profile folder: by default, URL and key. */
  async function weft(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const env = {
      XDG_CONFIG_HOME: `${folder.path}/config`,
      ...(options.env ?? { WEFT_URL: service.url, WEFT_API_KEY: key }),
    };
    const { isTyped = false, columns = null, hasColor = false } = options;
    if (!isTyped && columns === null && !hasColor)
      return runWeft([...args], env, options.input, options.signal);
    const ran: CommandResult = { code: null, stdout: '', stderr: '' };
    const stdin = Object.assign(new PassThrough(), { isTTY: isTyped });
    const lines = (options.input ?? '').split(/(?<=\n)/);
    if (!isTyped) stdin.end(options.input ?? '');
    ran.code = await runCommandLine(args, {
      env,
      stdin,
      columns,
      hasColor,
      isInteractive: isTyped,
      out: (text) => void (ran.stdout += text),
      err(text) {
        ran.stderr += text;
        // A line is typed when it is asked for.
        if (isTyped && /[:\]] $/.test(text)) setImmediate(() => stdin.write(lines.shift() ?? '\n'));
      },
      interrupts: () => options.signal ?? new AbortController().signal,
    });
    return ran;
  }

  /** Runs it with --json; has to end with 0. */
  async function json<T>(args: readonly string[], input?: string): Promise<T> {
    const ran = await weft([...args, '--json'], input === undefined ? {} : { input });
    expect(ran, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ran.stdout) as T;
  }

  return {
    folder: folder.path,
    weft,
    json,
    get url() {
      return service.url;
    },
    get key() {
      return key;
    },
    get client() {
      return client;
    },
  };
}
