import type { CreateConnectionInput } from '../../../../sdk/src/index.ts';
import { askQuestion, readAll } from '../../terminal/prompt.ts';
import type { RunContext } from '../../run-context.ts';
import { UsageError } from '../../usage-error.ts';

type Authentication = NonNullable<CreateConnectionInput['authentication']>;

/** Options that each choose a kind of authentication, of which one may be given. */
const KINDS = ['header', 'query', 'bearer', 'basic', 'place'] as const;
type AuthenticationOptions = {
  readonly header?: string;
  readonly prefix?: string;
  readonly query?: string;
  readonly bearer?: boolean;
  readonly basic?: boolean;
  readonly place?: readonly string[];
};

/** Reads how fields authenticate a request; null for OAuth. @throws {UsageError} for several kinds. */
export function readAuthentication(options: AuthenticationOptions): Authentication | null {
  const given = KINDS.filter((kind) => options[kind] !== undefined && options[kind] !== false);
  const [kind] = given;
  if (given.length > 1)
    throw new UsageError(`Only one of ${given.map((one) => `--${one}`).join(' and ')} can be given.`);
  if (options.prefix !== undefined && kind !== 'header')
    throw new UsageError('--prefix is only for --header.');
  switch (kind) {
    case undefined:
      return null;
    case 'header':
      return {
        type: 'header',
        name: options.header ?? '',
        ...(options.prefix === undefined ? {} : { prefix: options.prefix }),
      };
    case 'query':
      return { type: 'query', name: options.query ?? '' };
    case 'place':
      return { type: 'custom', placements: (options.place ?? []).map(readPlacement) };
    default:
      return { type: kind };
  }
}

function readPlacement(text: string) {
  const [, field, location, name] = /^([^=]+)=(header|query):(.+)$/.exec(text) ?? [];
  if (field === undefined || location === undefined || name === undefined)
    throw new UsageError(`--place ${text} must have the form field=header:name or field=query:name.`);
  return { in: location as 'header' | 'query', name, field };
}

/** Reads `name=value` pairs. */
export function readProviderFields(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`--provider-field ${pair} must have the form name=value.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Returns the names of the fields that must have values. */
export function listFieldNames({ type, placements }: Authentication): string[] {
  if (type === 'basic') return ['username', 'password'];
  if (type === 'custom') return [...new Set((placements ?? []).map(({ field }) => field))];
  return [type === 'bearer' ? 'token' : 'value'];
}

/** Prompts for each field, or reads standard input: the value of a single field, or JSON with several. */
export async function readFields(
  { terminal }: RunContext,
  names: readonly string[],
): Promise<Record<string, string>> {
  if (terminal.stdin.isTTY) {
    const values: Record<string, string> = {};
    for (const name of names)
      values[name] = await askQuestion(terminal, `${name}: `, { isHidden: name !== 'username' });
    return values;
  }
  const text = (await readAll(terminal)).replace(/\r?\n$/, '');
  const [only] = names;
  if (names.length === 1 && only !== undefined) return { [only]: text };
  const value = parseObject(text);
  if (value === null) throw new UsageError(`Pipe in a JSON object with the strings ${names.join(', ')}.`);
  return value;
}

function parseObject(text: string): Record<string, string> | null {
  try {
    const value = JSON.parse(text) as unknown;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && Object.values(value).every((one) => typeof one === 'string')
      ? (value as Record<string, string>)
      : null;
  } catch {
    return null;
  }
}
