import type { WorkflowSummary } from 'weft-client';
import { forEachLimited } from '../../lib/for-each-limited.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { client } from '../client.ts';
import { toErrorText } from '../error-text.ts';
import { queryClient } from '../query-client.ts';
import { t, tPlural } from '../../i18n/index.ts';

/** The fields of a workflow that bulk actions need. */
export type Target = Pick<WorkflowSummary, 'id' | 'name'> & Partial<Pick<WorkflowSummary, 'status'>>;

/** Undo is offered for so long, ms. */
const UNDO_LIFE_MS = 12_000;
/** The number of errors that a message lists. */
const MAX_LISTED = 3;

type Texts = {
  /** For one workflow. */
  readonly one: (name: string) => string;
  readonly several: (count: number) => string;
  /** For workflows that the action failed for. */
  readonly failed: (count: number) => string;
};

const TEXTS_BY_ACTION = {
  delete: {
    one: (name) => t('“{{name}}” deleted', { name }),
    several: (count) => tPlural(count, '{{count}} workflow deleted', '{{count}} workflows deleted'),
    failed: (count) =>
      tPlural(count, '{{count}} workflow could not be deleted', '{{count}} workflows could not be deleted'),
  },
  restore: {
    one: (name) => t('“{{name}}” restored', { name }),
    several: (count) => tPlural(count, '{{count}} workflow restored', '{{count}} workflows restored'),
    failed: (count) =>
      tPlural(count, '{{count}} workflow could not be restored', '{{count}} workflows could not be restored'),
  },
  active: {
    one: (name) => t('“{{name}}” activated', { name }),
    several: (count) => tPlural(count, '{{count}} workflow activated', '{{count}} workflows activated'),
    failed: (count) =>
      tPlural(
        count,
        '{{count}} workflow could not be activated',
        '{{count}} workflows could not be activated',
      ),
  },
  inactive: {
    one: (name) => t('“{{name}}” deactivated', { name }),
    several: (count) => tPlural(count, '{{count}} workflow deactivated', '{{count}} workflows deactivated'),
    failed: (count) =>
      tPlural(
        count,
        '{{count}} workflow could not be deactivated',
        '{{count}} workflows could not be deactivated',
      ),
  },
} as const satisfies Record<string, Texts>;

const describeFailures = (count: number): string =>
  tPlural(count, '{{count}} workflow could not be changed', '{{count}} workflows could not be changed');

/** What was done to the workflows: the name of one, or the number of several. */
function doneText({ one, several }: Texts, items: readonly Target[]): string {
  return items.length === 1 ? one(items[0]!.name) : several(items.length);
}

/** Applies `work` to each workflow, reports the failures in one message, and returns the others. */
async function applyToAll<T extends Target>(
  items: readonly T[],
  failedText: (count: number) => string,
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
      title: failedText(failed.length),
      text: [
        ...failed.slice(0, MAX_LISTED),
        ...(more > 0 ? [t('and {{number}} more', { number: more })] : []),
      ].join(' · '),
    });
  }
  return items.filter((item) => done.has(item));
}

/** Deletes the workflows. `canUndo`: the server keeps deleted workflows for a time. */
export async function deleteWorkflows(items: readonly Target[], canUndo: boolean): Promise<void> {
  const done = await applyToAll(items, TEXTS_BY_ACTION.delete.failed, ({ id }) =>
    client.workflows.delete(id),
  );
  if (done.length === 0) return;
  toast({
    title: doneText(TEXTS_BY_ACTION.delete, done),
    life: UNDO_LIFE_MS,
    action: canUndo ? { label: t('Undo'), run: () => void restoreWorkflows(done) } : undefined,
  });
}

/** Restores deleted workflows, and offers to activate those that were active. */
export async function restoreWorkflows(items: readonly Target[]): Promise<void> {
  const done = await applyToAll(items, TEXTS_BY_ACTION.restore.failed, ({ id }) =>
    client.workflows.undelete(id),
  );
  if (done.length === 0) return;
  const active = done.filter(({ status }) => status === 'active');
  toast({
    tone: 'good',
    title: doneText(TEXTS_BY_ACTION.restore, done),
    text: active.length === 0 ? undefined : t('Restored workflows are inactive.'),
    life: UNDO_LIFE_MS,
    action:
      active.length === 0
        ? undefined
        : {
            label: active.length === 1 ? t('Activate') : t('Activate {{number}}', { number: active.length }),
            run: () => void setAllStatuses(active, 'active'),
          },
  });
}

export async function setAllStatuses(items: readonly Target[], status: 'active' | 'inactive'): Promise<void> {
  const texts = TEXTS_BY_ACTION[status];
  const done = await applyToAll(items, texts.failed, ({ id }) => client.workflows.update(id, { status }));
  if (done.length > 0) toast({ tone: 'good', title: doneText(texts, done) });
}

/** Adds a tag to the workflows that do not have it. */
export async function addTagToAll(items: readonly WorkflowSummary[], tag: string): Promise<void> {
  const without = items.filter(({ tags }) => !tags.includes(tag));
  const done = await applyToAll(without, describeFailures, ({ id, tags, version }) =>
    // If the workflow was changed meanwhile, the request fails instead of overwriting its tags.
    client.workflows.update(id, { tags: [...tags, tag], version }),
  );
  if (done.length === 0) return;
  const title =
    done.length === 1
      ? t('Tag “{{tag}}” added to “{{name}}”', { tag, name: done[0]!.name })
      : tPlural(
          done.length,
          'Tag “{{tag}}” added to {{count}} workflow',
          'Tag “{{tag}}” added to {{count}} workflows',
          { tag },
        );
  toast({ tone: 'good', title });
}
