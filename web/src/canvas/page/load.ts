import type { Workflow } from 'weft-client';
import { client } from '../../data/client.ts';
import { queryClient } from '../../data/query-client.ts';
import { language, loadNodeTexts } from '../../i18n/index.ts';
import { translateTypes } from '../../node-panel/model/translate-types.ts';
import type { NodeType } from '../model/catalog.ts';
import { openDraftStore, type Draft, type DraftStore } from '../state/local-draft.ts';

export type Loaded = {
  readonly workflow: Workflow;
  readonly types: readonly NodeType[];
  readonly draftStore: DraftStore;
  readonly draft: Draft | null;
};

/** ms that the node types are cached. */
const MAX_TYPES_AGE_MS = 5 * 60_000;

/** Loads everything that the editor needs, concurrently. */
export async function load(workflowId: string, signal: AbortSignal): Promise<Loaded> {
  const [workflow, types, [draftStore, draft]] = await Promise.all([
    client.workflows.get(workflowId, { signal }),
    nodeTypes(),
    openDraft(workflowId),
  ]);
  return { workflow, types, draftStore: draftStore, draft };
}

async function openDraft(workflowId: string): Promise<[DraftStore, Draft | null]> {
  const draftStore = await openDraftStore(workflowId);
  return [draftStore, await draftStore.read()];
}

/** All node types in the language of the editor, cached. */
export async function nodeTypes(): Promise<readonly NodeType[]> {
  const types = await queryClient.fetchQuery({
    queryKey: ['nodes', 'all'],
    queryFn: async () => {
      const [{ nodes }, translate] = await Promise.all([client.nodes.list({}), loadNodeTexts()]);
      const all = nodes as unknown as NodeType[];
      return language === 'en' ? all : translateTypes(all, translate);
    },
    staleTime: MAX_TYPES_AGE_MS,
  });
  return types;
}
