import type { WorkflowSummary } from 'weft-client';
import { forEachLimited } from '../lib/for-each-limited.ts';
import { toast } from '../ui/toast.tsx';
import { client } from './client.ts';
import { toErrorText } from './error-text.ts';
import { queryClient } from './query-client.ts';

/** What is needed to name a workflow and to act on it. */
export type Target = Pick<WorkflowSummary, 'id' | 'name'> & Partial<Pick<WorkflowSummary, 'status'>>;

/** Undo is offered for so long, ms. */
const UNDO_LIFE_MS = 12_000;
/** The number of errors that a message lists. */
const MAX_LISTED = 3;

export const countOf = (n: number): string => (n === 1 ? '1 workflow' : `${n} workflows`);
export const nameOf = (items: readonly Target[]): string =>
  items.length === 1 ? `“${items[0]!.name}”` : countOf(items.length);

/** Applies `work` to each workflow, reports the failures in one message, and returns the others. */
export async function applyToAll<T extends Target>(
  items: readonly T[],
  participle: string,
  work: (item: T) => Promise<unknown>,
): Promise<readonly T[]> {
  const done = new Set<T>();
  const failed: string[] = [];
  await forEachLimited(items, new AbortController().signal, async (item) => {
    try {
      await work(item);
      done.add(item);
    } catch (error) {
      failed.push(`${item.name}: ${toErrorText(error)}`);
    }
  });
  for (const queryKey of [['workflows'], ['deleted-workflows'], ['executions']])
    void queryClient.invalidateQueries({ queryKey });
  if (failed.length > 0) {
    const more = failed.length - MAX_LISTED;
    toast({
      tone: 'bad',
      title: `${countOf(failed.length)} could not be ${participle}`,
      text: [...failed.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join(' · '),
    });
  }
  return items.filter((item) => done.has(item));
}

/** Deletes the workflows. `canUndo`: the server keeps deleted workflows for a time. */
export async function deleteWorkflows(items: readonly Target[], canUndo: boolean): Promise<void> {
  const done = await applyToAll(items, 'deleted', ({ id }) => client.workflows.delete(id));
  if (done.length === 0) return;
  toast({
    title: `${nameOf(done)} deleted`,
    life: UNDO_LIFE_MS,
    action: canUndo ? { label: 'Undo', run: () => void restoreWorkflows(done) } : undefined,
  });
}

/** Restores deleted workflows, and offers to activate those that were active. */
export async function restoreWorkflows(items: readonly Target[]): Promise<void> {
  const done = await applyToAll(items, 'restored', ({ id }) => client.workflows.undelete(id));
  if (done.length === 0) return;
  const active = done.filter(({ status }) => status === 'active');
  toast({
    tone: 'good',
    title: `${nameOf(done)} restored`,
    text: active.length === 0 ? undefined : 'Restored workflows are inactive.',
    life: UNDO_LIFE_MS,
    action:
      active.length === 0
        ? undefined
        : {
            label: active.length === 1 ? 'Activate' : `Activate ${active.length}`,
            run: () => void setStatusOfAll(active, 'active'),
          },
  });
}

export async function setStatusOfAll(items: readonly Target[], status: 'active' | 'inactive'): Promise<void> {
  const participle = status === 'active' ? 'activated' : 'deactivated';
  const done = await applyToAll(items, participle, ({ id }) => client.workflows.update(id, { status }));
  if (done.length > 0) toast({ tone: 'good', title: `${nameOf(done)} ${participle}` });
}

/** Adds a tag to the workflows that do not have it. */
export async function addTagToAll(items: readonly WorkflowSummary[], tag: string): Promise<void> {
  const without = items.filter(({ tags }) => !tags.includes(tag));
  const done = await applyToAll(without, 'changed', ({ id, tags, version }) =>
    // If the workflow was changed meanwhile, the request fails instead of overwriting its tags.
    client.workflows.update(id, { tags: [...tags, tag], version }),
  );
  if (done.length > 0) toast({ tone: 'good', title: `Tag “${tag}” added to ${nameOf(done)}` });
}
