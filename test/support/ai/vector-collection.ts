import type { Call } from '../service.ts';

export type TestDocument = {
  readonly key: string;
  readonly text: string;
  readonly source?: string;
  readonly metadata?: object;
  readonly embedding: readonly number[];
};

/** A workflow that stores documents in a vector collection. */
export function createStoringWorkflow(collection: string, documents: readonly TestDocument[]) {
  const config = {
    operation: 'upsert',
    collection,
    model: 'test-model',
    documents: documents.map(({ key, text, source, metadata }) => ({ key, text, source, metadata })),
    embeddings: documents.map(({ embedding }) => embedding),
  };
  return {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'store', type: 'vector_store', config },
    ],
    connections: [{ from: 'start', to: 'store' }],
  };
}

/** Creates a collection with one document for the caller; returns its name. */
export async function createVectorCollection(call: Call, name: string): Promise<string> {
  const definition = createStoringWorkflow(name, [{ key: 'a', text: 'A', embedding: [1, 0] }]);
  const created = await call('POST', '/workflows', { body: { name: `Store ${name}`, definition } });
  const { id } = created.body as { id: string };
  const run = await call('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
  if ((run.body as { status?: string }).status !== 'completed') throw new Error(run.text);
  return name;
}
