import type { ListProviderModelsInput } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';

type ModelOptions = ConnectOptions & {
  readonly baseUrl?: string;
  readonly connection?: string;
  readonly secret?: string;
  readonly refresh?: boolean;
};

/** A list may take half a minute. */
const LIST_TIMEOUT_MS = 45_000;

/** Lists the models of a provider. */
export async function listProviderModels(
  { client, printer, signal }: RunContext,
  { baseUrl, connection, secret, refresh }: ModelOptions,
  provider = '',
): Promise<undefined> {
  const list = await client.providerModels.list(
    {
      // The service refuses other providers and names those that it accepts.
      provider: provider as ListProviderModelsInput['provider'],
      ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
      ...(connection === undefined ? {} : { connection }),
      ...(secret === undefined ? {} : { credentials: `{{ secrets.${secret} }}` }),
      ...(refresh === true ? { refresh } : {}),
    },
    { signal, timeout: LIST_TIMEOUT_MS },
  );
  printer.show(list, () => {
    if (list.models.length === 0) printer.note('The provider lists no models.');
    else
      printer.table(
        [
          { title: 'MODEL', of: (model) => model.id },
          { title: 'PRICE', of: (model) => (model.priced ? 'yes' : 'no') },
          { title: 'NAME', of: (model) => model.name ?? '', isLoose: true },
        ],
        list.models,
      );
  });
  return undefined;
}
