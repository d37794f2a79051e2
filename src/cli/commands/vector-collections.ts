import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { timeText } from '../terminal/text.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

type CollectionOptions = ConnectOptions & ListOptions & { readonly search?: string };

export async function listCollections(context: RunContext, options: CollectionOptions): Promise<undefined> {
  const { search } = options;
  await showList(
    context,
    options,
    'vector_collections',
    (page, given) => context.client.vectorCollections.list({ ...page, search }, given),
    [
      { title: 'NAME', of: (one) => one.name },
      { title: 'DOCUMENTS', of: (one) => String(one.documents) },
      { title: 'DIMENSIONS', of: (one) => String(one.dimensions) },
      { title: 'CHANGED', of: (one) => timeText(one.updated_at) },
      { title: 'MODEL', of: (one) => one.model, isLoose: true },
    ],
    'There is no vector collection.',
  );
  return undefined;
}

export async function showCollection(
  context: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const collection = await client.vectorCollections.get(name, { signal });
  printer.show(collection, () =>
    printer.record([
      ['name', collection.name],
      ['model', collection.model],
      ['dimensions', String(collection.dimensions)],
      ['documents', String(collection.documents)],
      ['created', timeText(collection.created_at)],
      ['changed', timeText(collection.updated_at)],
    ]),
  );
  return undefined;
}

export async function deleteCollection(
  context: RunContext,
  options: DeleteOptions,
  name = '',
): Promise<number | undefined> {
  return remove(context, options, `the vector collection ${name}`, () =>
    context.client.vectorCollections.delete(name, { signal: context.signal }),
  );
}
