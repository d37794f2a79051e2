import { NotFoundError, type Workflow, type WorkflowSummary } from '../../../sdk/src/index.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';
import { findNearest } from '../did-you-mean.ts';

/** Maximum number of names that are searched for a suggestion. */
const MAX_CANDIDATES = 500;

/** Returns the id of the workflow with this id or name. @throws {UsageError} when several have the name. */
export async function findWorkflowId(context: RunContext, idOrName: string): Promise<string> {
  if (isId(idOrName)) return idOrName;
  const found = await listWorkflowsNamed(context, idOrName);
  const [only, ...others] = found;
  if (only === undefined) throw await createNotFoundError(context, idOrName);
  if (others.length > 0) {
    const ids = found.map((one) => one.id).join(', ');
    throw new UsageError(
      `${found.length} workflows are called ${JSON.stringify(idOrName)}; use an id: ${ids}`,
    );
  }
  return only.id;
}

export async function findWorkflow(context: RunContext, idOrName: string): Promise<Workflow> {
  return context.client.workflows.get(await findWorkflowId(context, idOrName), { signal: context.signal });
}

/** Returns all of the user's workflows with exactly this name. */
export async function listWorkflowsNamed(
  { client, signal }: Pick<RunContext, 'client' | 'signal'>,
  name: string,
): Promise<WorkflowSummary[]> {
  const found: WorkflowSummary[] = [];
  // The search matches a part of a name or description, and takes at most 200 characters.
  for await (const one of client.workflows.listAll({ search: name.slice(0, 200) }, { signal })) {
    if (one.name === name) found.push(one);
  }
  return found;
}

function isId(text: string): boolean {
  return /^wf_[0-9a-z]+$/.test(text);
}

async function createNotFoundError({ client, signal }: RunContext, name: string): Promise<NotFoundError> {
  const names: string[] = [];
  for await (const one of client.workflows.listAll({}, { signal, maxItems: MAX_CANDIDATES }))
    names.push(one.name);
  const meant = findNearest(name, names);
  const hint = meant === null ? 'weft workflows list shows all.' : `Did you mean ${JSON.stringify(meant)}?`;
  return new NotFoundError('NOT_FOUND', {
    message: `There is no workflow called ${JSON.stringify(name)}. ${hint}`,
    status: 404,
  });
}
