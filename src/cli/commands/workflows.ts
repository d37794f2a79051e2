import {
  NotFoundError,
  type DeletedWorkflow,
  type ListWorkflowsQuery,
  type Workflow,
} from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import { getStatusPaint, type Printer } from '../terminal/printer.ts';
import type { RunContext } from '../run-context.ts';
import { toPlainText, timeText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { findWorkflow, findWorkflowId } from './find-workflow.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

type WorkflowListOptions = ConnectOptions &
  ListOptions &
  Pick<ListWorkflowsQuery, 'status' | 'search' | 'tag' | 'sort' | 'direction'>;

export async function listWorkflows(context: RunContext, options: WorkflowListOptions): Promise<undefined> {
  const { status, search, tag, sort, direction } = options;
  await showList(
    context,
    options,
    'workflows',
    (page, given) => context.client.workflows.list({ ...page, status, search, tag, sort, direction }, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'NAME', of: (one) => one.name, isLoose: true },
      { title: 'STATUS', of: (one) => one.status, paint: (one) => getStatusPaint(one.status) },
      { title: 'VERSION', of: (one) => String(one.version), isRight: true },
      { title: 'NODES', of: (one) => String(one.node_count), isRight: true },
      { title: 'RUNS', of: (one) => String(one.execution_count), isRight: true },
      { title: 'CHANGED', of: (one) => timeText(one.updated_at) },
    ],
    'There are no workflows yet. Create one with: weft apply -f <file>',
  );
  return undefined;
}

export async function getWorkflow(
  context: RunContext,
  _options: ConnectOptions,
  idOrName = '',
): Promise<undefined> {
  const workflow = await findWorkflow(context, idOrName);
  context.printer.show(workflow, () => showWorkflow(context.printer, workflow));
  return undefined;
}

function showWorkflow(printer: Printer, workflow: Workflow): void {
  printer.record([
    ['workflow', workflow.id],
    ['name', workflow.name],
    ...(workflow.description === '' ? [] : [['description', workflow.description] as const]),
    ['status', workflow.status, getStatusPaint(workflow.status)],
    ['version', versionText(workflow)],
    ['runs', String(workflow.execution_count)],
    ['tags', workflow.tags.length === 0 ? '-' : workflow.tags.join(', ')],
    ['changed', timeText(workflow.updated_at)],
    ...workflow.triggers.flatMap((one) => [
      ['trigger', triggerText(one)] as const,
      ...(one.links ?? []).map(
        ({ name, url, expires_at }) => ['link', `${name} ${url}, until ${expires_at}`] as const,
      ),
    ]),
  ]);
  if (workflow.definition.nodes.length > 0) {
    printer.line();
    printer.table(
      [
        { title: 'NODE', of: (node) => node.id, isLoose: true },
        {
          title: 'TYPE',
          of: (node) => `${node.type}${node.version === undefined ? '' : ` ${node.version}`}`,
        },
        {
          title: 'GOES TO',
          isLoose: true,
          of: (node) =>
            workflow.definition.connections
              .filter((one) => one.from === node.id)
              .map((one) => (one.sourcePort === undefined ? one.to : `${one.sourcePort} → ${one.to}`))
              .join(', '),
        },
      ],
      workflow.definition.nodes,
    );
  }
  noteIssues(printer, workflow);
}

function versionText({ version, active_version }: Workflow): string {
  if (active_version === null || active_version === version) return String(version);
  return `${version} (live: ${active_version}; weft workflows publish makes ${version} live)`;
}

function triggerText({ type, method, url, next_run_at, last_error }: Workflow['triggers'][number]): string {
  const where = url === undefined ? '' : ` ${method ?? ''} ${url}`;
  const next = next_run_at === undefined || next_run_at === null ? '' : `, next at ${timeText(next_run_at)}`;
  const error = last_error === undefined || last_error === null ? '' : `, last error: ${last_error}`;
  return `${type}${where}${next}${error}`;
}

/** Prints the errors that prevent a workflow from running. */
export function noteIssues(printer: Printer, { issues }: Pick<Workflow, 'issues'>): void {
  if (issues.length === 0) return;
  printer.note(`It cannot run yet:`);
  for (const { node_id, field, issue } of issues)
    printer.note(`  ${toPlainText(node_id === null ? field : `${node_id}: ${field}`)} ${toPlainText(issue)}`);
}

export async function deleteWorkflow(
  context: RunContext,
  options: DeleteOptions & { readonly permanent?: boolean },
  idOrName = '',
): Promise<number | undefined> {
  const { permanent } = options;
  const { id, what } = await describeDeletion(context, idOrName, permanent === true);
  return remove(context, options, what, () =>
    context.client.workflows.delete(id, { permanent }, { signal: context.signal }),
  );
}

/** With `isPermanent`, also finds a workflow that is already deleted. */
async function describeDeletion(
  context: RunContext,
  idOrName: string,
  isPermanent: boolean,
): Promise<{ id: string; what: string }> {
  const suffix = isPermanent ? ' permanently' : '';
  try {
    const { id, name, execution_count } = await findWorkflow(context, idOrName);
    return { id, what: `${toPlainText(name)} (${id}) and its ${execution_count} executions${suffix}` };
  } catch (error) {
    if (!isPermanent || !(error instanceof NotFoundError)) throw error;
    const deleted = await findDeleted(context, idOrName);
    if (deleted === null) throw error;
    return { id: deleted.id, what: `${toPlainText(deleted.name)} (${deleted.id})${suffix}` };
  }
}

/** @throws {UsageError} when several deleted workflows have the name. */
async function findDeleted(
  { client, signal }: RunContext,
  idOrName: string,
): Promise<DeletedWorkflow | null> {
  const found: DeletedWorkflow[] = [];
  for await (const one of client.workflows.deleted.listAll({}, { signal })) {
    if (one.id === idOrName) return one;
    if (one.name === idOrName) found.push(one);
  }
  if (found.length > 1) {
    const ids = found.map((one) => one.id).join(', ');
    throw new UsageError(
      `${found.length} deleted workflows are called ${JSON.stringify(idOrName)}; use an id: ${ids}`,
    );
  }
  return found[0] ?? null;
}

export async function listDeleted(
  context: RunContext,
  options: ConnectOptions & ListOptions,
): Promise<undefined> {
  await showList(
    context,
    options,
    'workflows',
    (page, given) => context.client.workflows.deleted.list(page, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'NAME', of: (one) => one.name, isLoose: true },
      { title: 'DELETED', of: (one) => timeText(one.deleted_at) },
      { title: 'RESTORABLE UNTIL', of: (one) => timeText(one.purge_at) },
    ],
    'No deleted workflow can be restored.',
  );
  return undefined;
}

/** Restores a deleted workflow. */
export async function undeleteWorkflow(
  context: RunContext,
  _options: ConnectOptions,
  idOrName = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const id = (await findDeleted(context, idOrName))?.id ?? idOrName;
  const workflow = await client.workflows.undelete(id, { signal });
  printer.show(workflow, () =>
    printer.line(`${toPlainText(workflow.name)} (${id}) is back, ${workflow.status}.`),
  );
  return undefined;
}

/** `weft workflows activate` and `deactivate`. */
export function setStatus(status: 'active' | 'inactive') {
  return async (context: RunContext, _options: ConnectOptions, idOrName = ''): Promise<undefined> => {
    const { client, printer, signal } = context;
    const id = await findWorkflowId(context, idOrName);
    const workflow = await client.workflows.update(id, { status }, { signal });
    printer.show(workflow, () => {
      printer.line(`${toPlainText(workflow.name)} (${id}) is ${workflow.status}.`);
      for (const trigger of workflow.triggers) printer.line(`  ${toPlainText(triggerText(trigger))}`);
    });
    return undefined;
  };
}

/** Makes the newest version the one that triggers run. */
export async function publishWorkflow(
  context: RunContext,
  _options: ConnectOptions,
  idOrName = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const workflow = await client.workflows.publish(await findWorkflowId(context, idOrName), { signal });
  printer.show(workflow, () =>
    printer.line(`Version ${workflow.version} of ${toPlainText(workflow.name)} is live.`),
  );
  return undefined;
}

export async function listVersions(
  context: RunContext,
  options: ConnectOptions & ListOptions,
  idOrName = '',
): Promise<undefined> {
  const id = await findWorkflowId(context, idOrName);
  await showList(
    context,
    options,
    'versions',
    (page, given) => context.client.workflows.versions.list(id, page, given),
    [
      { title: 'VERSION', of: (one) => String(one.version), isRight: true },
      { title: 'NAME', of: (one) => toPlainText(one.name ?? '') },
      { title: 'NODES', of: (one) => String(one.node_count), isRight: true },
      { title: 'SAVED', of: (one) => timeText(one.created_at) },
    ],
    'There is no version.',
  );
  return undefined;
}

/** Saves an old version as the newest one. */
export async function restoreVersion(
  context: RunContext,
  _options: ConnectOptions,
  idOrName = '',
  version = '',
): Promise<undefined> {
  if (!/^\d{1,9}$/.test(version))
    throw new UsageError(`A version is a whole number, not ${JSON.stringify(version)}.`);
  const { client, printer, signal } = context;
  const id = await findWorkflowId(context, idOrName);
  const workflow = await client.workflows.versions.restore(id, version, { signal });
  printer.show(workflow, () =>
    printer.line(
      `Version ${version} of ${toPlainText(workflow.name)} is back, as version ${workflow.version}.`,
    ),
  );
  return undefined;
}
