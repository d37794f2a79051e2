import type { Workflow } from 'weft-client';
import { client } from '../../data/client.ts';
import type { NodeType } from '../model/catalog.ts';
import { loadNodeTypes } from './node-types.ts';
import { openDraftStore, type Draft, type DraftStore } from '../state/local-draft.ts';

export type Loaded = {
  readonly workflow: Workflow;
  readonly types: readonly NodeType[];
  readonly draftStore: DraftStore;
  readonly draft: Draft | null;
};

/** Loads everything that the editor needs, concurrently. */
export async function load(workflowId: string, signal: AbortSignal): Promise<Loaded> {
  const [workflow, types, [draftStore, draft]] = await Promise.all([
    client.workflows.get(workflowId, { signal }),
    loadNodeTypes(),
    openDraft(workflowId),
  ]);
  return { workflow, types, draftStore: draftStore, draft };
}

async function openDraft(workflowId: string): Promise<[DraftStore, Draft | null]> {
  const draftStore = await openDraftStore(workflowId);
  return [draftStore, await draftStore.read()];
}
