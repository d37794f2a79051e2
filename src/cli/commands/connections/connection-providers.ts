import type { ConnectOptions } from '../../connect.ts';
import type { RunContext } from '../../run-context.ts';
import { showList, type ListOptions } from '../list.ts';

export async function listProviders(
  context: RunContext,
  options: ConnectOptions & ListOptions & { readonly search?: string },
): Promise<undefined> {
  const search = options.search === undefined ? {} : { search: options.search };
  await showList(
    context,
    options,
    'providers',
    (page, given) => context.client.connectionProviders.list({ ...page, ...search }, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'NAME', of: (one) => one.title },
      { title: 'FIELDS', of: (one) => one.fields.map(({ name }) => name).join(' '), isLoose: true },
      { title: 'REVIEWED', of: (one) => one.reviewed?.date ?? 'no' },
    ],
    'There is no such service. A connection can also be made with --authorization-url and --token-url.',
  );
  return undefined;
}

export async function getProvider(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  id = '',
): Promise<undefined> {
  const one = await client.connectionProviders.get(id, { signal });
  printer.show(one, () =>
    printer.record([
      ['provider', one.id],
      ['name', one.title],
      ['authorization url', one.authorization_url],
      ['token url', one.token_url],
      ...one.fields.map(
        ({ name, example, default: byDefault }) =>
          [`field ${name}`, byDefault === null ? `such as ${example}` : `default: ${byDefault}`] as const,
      ),
      ['client authentication', one.client_authentication ?? 'basic, then body'],
      ['pkce', one.pkce ? 'yes' : 'no'],
      ['reviewed', one.reviewed === null ? 'no' : `${one.reviewed.date}, ${one.reviewed.source}`],
    ]),
  );
  return undefined;
}
