import { NotFoundError, type Workflow } from '../../../../sdk/src/index.ts';
import { findNearest } from '../../did-you-mean.ts';
import type { RunContext } from '../../run-context.ts';
import { toPlainText } from '../../terminal/text.ts';
import { UsageError } from '../../usage-error.ts';
import { listGroupTags, withoutGroupTags } from './apply-group.ts';
import { listWorkflowsNamed } from '../find-workflow.ts';
import { diffWorkflow, type Change } from './workflow-diff.ts';
import type { WorkflowFile } from './workflow-file.ts';

/** The action for one file. */
export type Step = {
  readonly file: WorkflowFile;
  /** Null: it is created. */
  readonly stored: Workflow | null;
  readonly changes: readonly Change[];
};

export type Action = 'create' | 'update' | 'unchanged';

export function decideAction({ stored, changes }: Step): Action {
  if (stored === null) return 'create';
  return changes.length === 0 ? 'unchanged' : 'update';
}

/**
 * Compares all files with the stored workflows. @throws {UsageError} when two files are the same workflow.
 */
export async function planSteps(context: RunContext, files: readonly WorkflowFile[]): Promise<Step[]> {
  const steps: Step[] = [];
  for (const file of files) {
    const stored = (await findById(context, file)) ?? (await findByName(context, file));
    steps.push({
      file,
      stored,
      changes: stored === null ? [] : diffWorkflow(withoutGroups(stored), file.body),
    });
  }
  refuseTwice(steps);
  return steps;
}

function withoutGroups(stored: Workflow): Workflow {
  return { ...stored, tags: withoutGroupTags(stored.tags) };
}

/** An id from another instance is unknown here; the name is used then. */
async function findById({ client, signal }: RunContext, { id }: WorkflowFile): Promise<Workflow | null> {
  if (id === null) return null;
  return client.workflows.get(id, { signal }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
}

async function findByName(context: RunContext, { from, body }: WorkflowFile): Promise<Workflow | null> {
  const [only, ...others] = await listWorkflowsNamed(context, body.name);
  if (only === undefined) return null;
  if (others.length > 0)
    throw new UsageError(
      `${from}: ${others.length + 1} workflows are called ${JSON.stringify(body.name)}; give the file the id of the one that is meant.`,
    );
  return context.client.workflows.get(only.id, { signal: context.signal });
}

/** Two files for one workflow would overwrite each other at each apply. */
function refuseTwice(steps: readonly Step[]): void {
  const seen = new Map<string, string>();
  for (const { file, stored } of steps) {
    const key = stored?.id ?? `name ${file.body.name}`;
    const first = seen.get(key);
    if (first !== undefined)
      throw new UsageError(
        `${first} and ${file.from} are both the workflow ${JSON.stringify(file.body.name)}.`,
      );
    seen.set(key, file.from);
  }
}

export async function noteUnknownTypes(
  { client, printer, signal }: RunContext,
  steps: readonly Step[],
): Promise<void> {
  const { nodes } = await client.nodes.list({}, { signal });
  const known = nodes.map((node) => node.id);
  for (const { file } of steps) {
    for (const { id, type } of file.body.definition?.nodes ?? []) {
      if (known.includes(type)) continue;
      const meant = findNearest(type, known);
      const hint = meant === null ? 'weft nodes list shows all' : `did you mean ${meant}?`;
      printer.note(
        toPlainText(
          `${file.from}: the node ${id} has the type ${type}, which this service does not know; ${hint}`,
        ),
      );
    }
  }
}

/**
 * Creates or updates; with `isDryRun` the service validates without storing. `tag` is added to a created
 * workflow.
 */
export async function sendStep(
  { client, signal }: RunContext,
  { file: { body }, stored }: Step,
  { isDryRun, tag }: { readonly isDryRun: boolean; readonly tag: string | null },
): Promise<Workflow> {
  const dry = isDryRun ? { dry_run: true } : {};
  if (stored === null) {
    const tags = [...(body.tags ?? []), ...(tag === null ? [] : [tag])];
    return client.workflows.create({ ...body, ...(tags.length === 0 ? {} : { tags }), ...dry }, { signal });
  }
  const tags = body.tags === undefined ? {} : { tags: [...body.tags, ...listGroupTags(stored)] };
  return client.workflows.update(
    stored.id,
    { ...body, ...tags, version: stored.version, ...dry },
    { signal },
  );
}
