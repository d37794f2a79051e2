import type { Workflow, WorkflowSummary } from '../../../../sdk/src/index.ts';
import type { RunContext } from '../../run-context.ts';
import { UsageError } from '../../usage-error.ts';

/*
 * A group names the workflows that one set of files manages. A workflow that `weft apply --group shop`
 * creates has the tag `apply:shop`; `--prune` deletes those that have the tag and are in no file. Exports and
 * copies do not contain the tag.
 */
const TAG_PREFIX = 'apply:';

/** @throws {UsageError} for an invalid name. */
export function groupTag(group: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(group))
    throw new UsageError(
      `--group must be 1 to 40 lower-case letters, digits and hyphens, not ${JSON.stringify(group)}.`,
    );
  return `${TAG_PREFIX}${group}`;
}

export const withoutGroupTags = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !tag.startsWith(TAG_PREFIX));

export const listGroupTags = ({ tags }: Pick<Workflow, 'tags'>): string[] =>
  tags.filter((tag) => tag.startsWith(TAG_PREFIX));

/** Returns the workflows of a group that are not in `kept`, newest first. */
export async function findSurplus(
  { client, signal }: Pick<RunContext, 'client' | 'signal'>,
  tag: string,
  kept: ReadonlySet<string>,
): Promise<WorkflowSummary[]> {
  const found: WorkflowSummary[] = [];
  for await (const one of client.workflows.listAll({ tag }, { signal })) {
    if (!kept.has(one.id)) found.push(one);
  }
  return found;
}
