import type { CreateApiKeyInput } from '../../../sdk/src/index.ts';
import { scopes as knownScopes } from '../../contract/scopes.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import type { ConnectOptions } from '../connect.ts';
import { findNearest } from '../did-you-mean.ts';
import type { RunContext } from '../run-context.ts';
import { toPlainText, timeText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

export async function listKeys(
  context: RunContext,
  options: ConnectOptions & ListOptions,
): Promise<undefined> {
  await showList(
    context,
    options,
    'api_keys',
    (page, given) => context.client.apiKeys.list(page, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'NAME', of: (one) => one.name, isLoose: true },
      { title: 'KEY', of: (one) => `${one.prefix}…` },
      { title: 'SCOPES', of: (one) => one.scopes?.join(' ') ?? 'all', isLoose: true },
      { title: 'EXPIRES', of: (one) => timeText(one.expires_at) },
      { title: 'LAST USED', of: (one) => timeText(one.last_used_at) },
    ],
    'There is no API key.',
  );
  return undefined;
}

type KeyOptions = ConnectOptions & { readonly scope?: readonly string[]; readonly expires?: string };

/** Prints the key to stdout, the only place where it is shown, so that a script can read it. */
export async function createKey(context: RunContext, options: KeyOptions, name = ''): Promise<undefined> {
  const { client, printer, signal } = context;
  const made = await client.apiKeys.create(
    { name, scopes: parseScopes(options.scope), expires_at: parseExpiry(options.expires) },
    { signal },
  );
  printer.show(made, () => {
    printer.line(made.key);
    printer.note(`This is the key ${toPlainText(made.name)} (${made.id}); it is not shown again.`);
  });
  return undefined;
}

function parseScopes(given: readonly string[] | undefined): CreateApiKeyInput['scopes'] {
  if (given === undefined) return undefined;
  for (const scope of given) {
    if ((knownScopes as readonly string[]).includes(scope)) continue;
    const meant = findNearest(scope, knownScopes);
    throw new UsageError(
      `There is no scope ${scope}; ${meant === null ? `there are: ${knownScopes.join(', ')}` : `did you mean ${meant}?`}`,
    );
  }
  return given as CreateApiKeyInput['scopes'];
}

/** Parses a duration from now, such as `90d`, or a time. */
function parseExpiry(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  // Date.parse reads a bare number as a year, but users may mean a duration without a unit.
  const parsed = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const at = ms === null ? parsed : Date.now() + ms;
  if (Number.isNaN(at))
    throw new UsageError('--expires must be a duration such as 90d, or a time such as 2030-01-31.');
  return new Date(at).toISOString();
}

export async function deleteKey(
  context: RunContext,
  options: DeleteOptions,
  id = '',
): Promise<number | undefined> {
  return remove(context, options, `the API key ${id}`, () =>
    context.client.apiKeys.delete(id, { signal: context.signal }),
  );
}
