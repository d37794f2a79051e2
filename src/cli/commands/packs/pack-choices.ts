import { UsageError } from '../../usage-error.ts';
import type { ConnectOptions } from '../../connect.ts';
import type { RunContext } from '../../run-context.ts';

type ChoicesOptions = ConnectOptions & {
  readonly trigger?: boolean;
  readonly connection?: string;
  readonly authentication?: string;
  readonly values?: string;
  readonly search?: string;
  readonly packVersion?: string;
  readonly refresh?: boolean;
};

/** A load may take 20 seconds, and it may wait for a process. */
const LIST_TIMEOUT_MS = 45_000;

/** Loads what a field of a pack accepts. */
export async function listPackChoices(
  { client, printer, signal }: RunContext,
  { trigger, connection, authentication, values, search, packVersion, refresh }: ChoicesOptions,
  pack = '',
  operation = '',
  field = '',
): Promise<undefined> {
  if (connection !== undefined && authentication !== undefined)
    throw new UsageError('--connection and --authentication exclude each other.');
  const proof = authentication === undefined ? undefined : parseObject('--authentication', authentication);
  const choices = await client.packs.choices.list(
    pack,
    {
      ...(trigger === true ? { event: operation } : { operation }),
      field,
      ...(connection === undefined ? {} : { authentication: { type: 'connection', connection } }),
      ...(proof === undefined ? {} : { authentication: proof }),
      ...(values === undefined ? {} : { values: parseObject('--values', values) }),
      ...(search === undefined ? {} : { search }),
      ...(packVersion === undefined ? {} : { version: packVersion }),
      ...(refresh === true ? { refresh } : {}),
    },
    { signal, timeout: LIST_TIMEOUT_MS },
  );
  printer.show(choices, () => {
    const { options, config_schema: schema, placeholder, disabled } = choices;
    if (options === null)
      printer.table(
        [
          { title: 'FIELD', of: ([name]) => name },
          { title: 'TITLE', of: ([, part]) => part.title ?? '' },
          { title: 'TYPE', of: ([, part]) => part.type ?? 'any' },
        ],
        Object.entries((schema?.['properties'] ?? {}) as Record<string, { title?: string; type?: string }>),
      );
    else if (options.length === 0)
      printer.note(placeholder ?? (disabled ? `${field} takes no value now.` : `${field} has no choices.`));
    else
      printer.table(
        [
          { title: 'LABEL', of: ({ label }) => label, isLoose: true },
          { title: 'VALUE', of: ({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)) },
        ],
        options,
      );
  });
  return undefined;
}

function parseObject(option: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The message is the same.
  }
  throw new UsageError(`${option} must be a JSON object.`);
}
