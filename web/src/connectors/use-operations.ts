import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PackDetail, PackOperationDetail } from 'weft-client';
import type { Catalog, NodeType } from '../canvas/model/catalog.ts';
import type { Doc } from '../canvas/model/document.ts';
import { client } from '../data/client.ts';
import { readNodeOperation, rememberOperation, type NodeOperation } from './operation-types.ts';

/** ms: a version never changes. */
const MAX_FORM_AGE_MS = 60 * 60_000;
/** Forms of one workflow that are loaded so that their outputs can be completed. */
const MAX_FORMS = 50;

export const createOperationQuery = (type: NodeType, operation: NodeOperation) => ({
  queryKey: ['packs', 'operation', operation.pack, operation.version, operation.operation],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<PackOperationDetail> => {
    const { pack, version, operation: id } = operation;
    const detail = await client.packs.operations.get(pack, id, { version }, { signal });
    rememberOperation(type, operation, detail);
    return detail;
  },
  staleTime: MAX_FORM_AGE_MS,
});

/** Loads the forms of all operations that a workflow uses. */
export function useOperationTypes(doc: Doc, catalog: Catalog): void {
  const queries = useMemo(() => {
    const found = new Map<string, ReturnType<typeof createOperationQuery>>();
    for (const entry of doc.nodes.values()) {
      const type = catalog.get(entry.type);
      const operation = readNodeOperation(type, entry);
      if (type === undefined || operation === null) continue;
      found.set(JSON.stringify(operation), createOperationQuery(type, operation));
      if (found.size >= MAX_FORMS) break;
    }
    return [...found.values()];
  }, [doc, catalog]);
  useQueries({ queries });
}

/** What the document of a pack states about its API. */
export function usePack(name: string, version: string): UseQueryResult<PackDetail> {
  return useQuery({
    queryKey: ['packs', 'detail', name, version],
    queryFn: ({ signal }) => client.packs.get(name, version === '' ? {} : { version }, { signal }),
    staleTime: 60_000,
  });
}
