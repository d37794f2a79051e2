// Load from wrk (Debian package `wrk`): one thread, and a Lua script that prints its figures as JSON.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'lua', 'load.lua');

export type Load = {
  readonly url: string;
  /** Empty for a GET. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** When given, every request has a unique Idempotency-Key with this prefix. */
  readonly keyPrefix?: string;
  readonly connections: number;
  readonly seconds: number;
};

export type Figures = {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Responses with a status of 400 or higher, and requests without a response. */
  readonly errors: number;
};

type Printed = Record<
  'requests' | 'micros' | 'p50' | 'p99' | 'max' | 'status' | 'connect' | 'read' | 'write' | 'timeout',
  number
>;

export async function requireWrk(): Promise<void> {
  try {
    await run('wrk', ['--version']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    throw new Error('the benchmark needs wrk: apt-get install wrk', { cause: error });
  }
}

export async function load(request: Load): Promise<Figures> {
  const folder = mkdtempSync('/tmp/weft-wrk-');
  try {
    const bodyFile = path.join(folder, 'body');
    const headerFile = path.join(folder, 'headers');
    writeFileSync(bodyFile, request.body);
    const lines = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}\n`);
    writeFileSync(headerFile, lines.join(''));
    const { connections, seconds } = request;
    const { stdout } = await run(
      'wrk',
      ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, request.url].concat([
        '--',
        bodyFile,
        lines.length > 0 ? headerFile : '-',
        request.keyPrefix ?? '-',
      ]),
      { timeout: (seconds + 30) * 1000 },
    );
    const line = stdout.split('\n').find((candidate) => candidate.startsWith('@weft '));
    if (line === undefined) throw new Error(`wrk printed no figures:\n${stdout}`);
    return figures(JSON.parse(line.slice('@weft '.length)) as Printed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(printed: Printed): Figures {
  return {
    requests: printed.requests,
    perSecond: printed.requests / (printed.micros / 1e6),
    p50: printed.p50 / 1000,
    p99: printed.p99 / 1000,
    max: printed.max / 1000,
    errors: printed.status + printed.connect + printed.read + printed.write + printed.timeout,
  };
}

const median = (values: number[]): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The median of each figure over the rounds. Requests and errors are sums. */
export function takeMedian(rounds: readonly Figures[]): Figures {
  const of = (key: keyof Figures) => median(rounds.map((round) => round[key]));
  const sum = (key: keyof Figures) => rounds.reduce((total, round) => total + round[key], 0);
  return {
    requests: sum('requests'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    max: of('max'),
    errors: sum('errors'),
  };
}
