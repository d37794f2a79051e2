// The options of `npm run bench -- …`.
import { parseArgs } from 'node:util';

export const SECTIONS = [
  'start',
  'W1',
  'W1-10k',
  'W1-100k',
  'W1-hmac',
  'W2',
  'W3',
  'list',
  'graph',
  'long',
  'agent',
  'sockets',
  'streams',
  'reads',
  'expressions',
  'sandbox',
  'packs',
] as const;
export type Section = (typeof SECTIONS)[number];

export type Options = {
  readonly only: ReadonlySet<Section>;
  /** Seconds of each load. Default: 3 for workloads with a target, otherwise 2. */
  readonly seconds: number | undefined;
  readonly rounds: number;
  readonly connections: readonly number[];
  /** Number of stored executions for the list measurement. */
  readonly rows: number;
  /** An empty PostgreSQL database. Weft with its data folder is then measured in turns with it. */
  readonly database: string | undefined;
  /** Print where the time is spent. The figures of a profiled run are lower. */
  readonly profile: boolean;
};

const USAGE = `npm run bench -- [--only ${SECTIONS.join(',')}] [--seconds N] [--rounds N] [--connections 1,50,200] [--rows N] [--profile] [--sockets] [--database postgres://…]`;

function whole(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(
      `--${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(text)}\n${USAGE}`,
    );
  }
  return value;
}

function section(name: string): Section {
  const found = SECTIONS.find((candidate) => candidate === name);
  if (found === undefined)
    throw new Error(`--only takes ${SECTIONS.join(', ')}, not ${JSON.stringify(name)}`);
  return found;
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '1,50,200' },
      rows: { type: 'string', default: '1000000' },
      profile: { type: 'boolean', default: false },
      database: { type: 'string' },
      // Short for `--only sockets`.
      sockets: { type: 'boolean', default: false },
    },
  });
  const only = values.sockets ? 'sockets' : values.only;
  return {
    only: new Set(only === undefined ? SECTIONS : only.split(',').map(section)),
    seconds: values.seconds === undefined ? undefined : whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 20),
    connections: values.connections.split(',').map((text) => whole('connections', text, 1, 1000)),
    rows: whole('rows', values.rows, 10_000, 10_000_000),
    database: values.database,
    profile: values.profile,
  };
}
