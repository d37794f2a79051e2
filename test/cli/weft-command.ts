import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import { createClient, type Client } from '../../sdk/src/index.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { startInProcess, type InProcess } from '../harness/in-process.ts';
import { adminEmail, adminPassword, temporaryFolder } from '../harness/service.ts';

export type Ran = { code: number | null; stdout: string; stderr: string };
export type RunOptions = {
  input?: string;
  env?: Record<string, string>;
  columns?: number;
  hasColor?: boolean;
  signal?: AbortSignal;
};

/** A service, a folder for files and profiles, and the command against that service (in this process), for the tests of one file. */
export function weftCommand() {
  const folder = temporaryFolder();
  let service: InProcess;
  let key = '';
  let client: Client;
  beforeAll(async () => {
    service = await startInProcess({ dataDir: `${folder.path}/data` });
    client = createClient({ baseUrl: service.url });
    await client.auth.login({ email: adminEmail, password: adminPassword });
    ({ key } = await client.apiKeys.create({ name: 'of the tests' }));
  });
  afterAll(async () => {
    await service.service.stop();
    folder.remove();
  });

  /** `env` replaces what the command gets beside the folder of its profiles: by default the service's address and a key. */
  async function weft(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    const stdin = new PassThrough();
    stdin.end(options.input ?? '');
    ran.code = await runCommandLine(args, {
      env: {
        XDG_CONFIG_HOME: `${folder.path}/config`,
        ...(options.env ?? { WEFT_URL: service.url, WEFT_API_KEY: key }),
      },
      stdin,
      columns: options.columns ?? null,
      hasColor: options.hasColor === true,
      isInteractive: false,
      out: (text) => void (ran.stdout += text),
      err: (text) => void (ran.stderr += text),
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
