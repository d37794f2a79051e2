import type { Workflow, WorkflowSummary } from '../../../sdk/src/index.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';

/*
 * A group is a name for the workflows that one set of files owns. A workflow that `weft apply --group shop` creates has the tag
 * `apply:shop`; `--prune` deletes those that have the tag and are in no file. Exports and copies do not carry the tag.
 */
const PREFIX = 'apply:';

/** @throws {UsageError} for a name that is not allowed. */
export function groupTag(group: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(group))
    throw new UsageError(
      `--group must be 1 to 40 lower-case letters, digits and hyphens, not ${JSON.stringify(group)}.`,
    );
  return `${PREFIX}${group}`;
}

export const withoutGroupTags = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !tag.startsWith(PREFIX));

export const groupTagsOf = ({ tags }: Pick<Workflow, 'tags'>): string[] =>
  tags.filter((tag) => tag.startsWith(PREFIX));

/** The workflows of a group that are none of the `kept` ones, newest first. */
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
