import { createVectorCollection } from '../../support/ai/vector-collection.ts';
import type { Call } from '../../support/service.ts';
import type { Case, Variables } from './case.ts';

const stored = async (call: Call): Promise<Variables> => ({
  name: await createVectorCollection(call, 'handbook'),
});
const toParams = (name: string) => ({ params: { name } });
const byName = (vars: Variables) => toParams(vars['name']!);

export const vectorCollectionCases: readonly Case[] = [
  {
    operation: 'listVectorCollections',
    title: 'none',
    say: () => ({ query: { search: 'no-such-collection' } }),
  },
  {
    operation: 'listVectorCollections',
    title: 'a page',
    prepare: stored,
    say: () => ({ query: { limit: 1 } }),
  },
  { operation: 'listVectorCollections', title: 'an empty search', say: () => ({ query: { search: '' } }) },
  { operation: 'getVectorCollection', title: 'one with a document', prepare: stored, say: byName },
  { operation: 'getVectorCollection', title: 'a missing one', say: () => toParams('missing') },
  { operation: 'deleteVectorCollection', title: 'one with a document', prepare: stored, say: byName },
  { operation: 'deleteVectorCollection', title: 'a missing one', say: () => toParams('missing') },
];
