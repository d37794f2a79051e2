import { NotFoundError, type Workflow } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import { nearest } from '../nearest.ts';
import type { Printer } from '../printer.ts';
import type { RunContext } from '../run-context.ts';
import { cut, oneLine, plain } from '../text.ts';
import { UsageError } from '../usage-error.ts';
import { workflowsNamed } from './find-workflow.ts';
import { changesOf, type Change } from './workflow-diff.ts';
import { readWorkflowFiles, type WorkflowFile } from './workflow-file.ts';
import { noteIssues } from './workflows.ts';

type ApplyOptions = ConnectOptions & { readonly file?: readonly string[]; readonly dryRun?: boolean };

/** What is to be done with one file. */
type Step = {
  readonly file: WorkflowFile;
  /** Null: it is created. */
  readonly stored: Workflow | null;
  readonly changes: readonly Change[];
};

/** Columns of a value in the difference. */
const SHOWN_VALUE = 60;

/**
 * Makes the service's workflows what the files say. Everything is read, checked and compared before anything is sent; a workflow
 * that somebody changes in between is refused with a conflict.
 */
export async function applyFiles(
  context: RunContext,
  options: ApplyOptions,
  ...given: string[]
): Promise<undefined> {
  const { printer, terminal } = context;
  const names = [...(options.file ?? []), ...given];
  if (names.length === 0) throw new UsageError('weft apply takes files, folders, or - for standard input.');
  const files = await readWorkflowFiles(terminal, names);
  const steps: Step[] = [];
  for (const file of files) steps.push(await plan(context, file));
  refuseTwice(steps);
  await noteUnknownTypes(context, steps);

  const results: object[] = [];
  for (const step of steps) {
    const { file, stored, changes } = step;
    const action = stored === null ? 'create' : changes.length === 0 ? 'unchanged' : 'update';
    const done = options.dryRun === true || action === 'unchanged' ? stored : await send(context, step);
    results.push({
      file: file.from,
      action,
      id: done?.id ?? null,
      name: file.body.name,
      version: done?.version ?? null,
      changes,
      issues: done?.issues ?? [],
    });
    if (printer.isJson) continue;
    printer.line(titleOf(printer, step, done, options.dryRun === true));
    for (const change of changes) printer.line(`  ${changeLine(printer, change)}`);
    if (done !== null && action !== 'unchanged' && options.dryRun !== true) noteIssues(printer, done);
  }
  printer.show({ dry_run: options.dryRun === true, results }, () => {
    if (options.dryRun === true) printer.note('Nothing was sent: this was a dry run.');
  });
  return undefined;
}

async function plan(context: RunContext, file: WorkflowFile): Promise<Step> {
  const stored = (await byId(context, file)) ?? (await byName(context, file));
  return { file, stored, changes: stored === null ? [] : changesOf(stored, file.body) };
}

/** An id of another instance is not there, and then the name counts. */
async function byId({ client, signal }: RunContext, { id }: WorkflowFile): Promise<Workflow | null> {
  if (id === null) return null;
  return client.workflows.get(id, { signal }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
}

async function byName(context: RunContext, { from, body }: WorkflowFile): Promise<Workflow | null> {
  const [only, ...others] = await workflowsNamed(context, body.name);
  if (only === undefined) return null;
  if (others.length > 0)
    throw new UsageError(
      `${from}: ${others.length + 1} workflows are called ${JSON.stringify(body.name)}; give the file the id of the one that is meant.`,
    );
  return context.client.workflows.get(only.id, { signal: context.signal });
}

/** Two files for one workflow would take turns at each apply. */
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

async function noteUnknownTypes(
  { client, printer, signal }: RunContext,
  steps: readonly Step[],
): Promise<void> {
  const { nodes } = await client.nodes.list({}, { signal });
  const known = nodes.map((node) => node.id);
  for (const { file } of steps) {
    for (const { id, type } of file.body.definition?.nodes ?? []) {
      if (known.includes(type)) continue;
      const meant = nearest(type, known);
      const hint = meant === null ? 'weft nodes list shows all' : `did you mean ${meant}?`;
      printer.note(
        plain(`${file.from}: the node ${id} has the type ${type}, which this service does not know; ${hint}`),
      );
    }
  }
}

async function send({ client, signal }: RunContext, { file, stored }: Step): Promise<Workflow> {
  if (stored === null) return client.workflows.create(file.body, { signal });
  return client.workflows.update(stored.id, { ...file.body, version: stored.version }, { signal });
}

function titleOf(
  printer: Printer,
  { file, stored, changes }: Step,
  done: Workflow | null,
  isDry: boolean,
): string {
  const name = oneLine(file.body.name);
  const id = done === null ? '' : ` ${done.id}`;
  if (stored === null) return printer.paint(`+ ${isDry ? 'would create' : 'created'}${id}  ${name}`, 'green');
  if (changes.length === 0) return printer.paint(`= unchanged${id}  ${name}`, 'dim');
  const version = isDry ? '' : ` (version ${done?.version})`;
  return printer.paint(`~ ${isDry ? 'would update' : 'updated'}${id}  ${name}${version}`, 'yellow');
}

function changeLine(printer: Printer, change: Change): string {
  const path = oneLine(change.path);
  if (!('before' in change)) return printer.paint(`+ ${path}: ${valueText(change.after)}`, 'green');
  if (!('after' in change)) return printer.paint(`- ${path}: ${valueText(change.before)}`, 'red');
  return printer.paint(`~ ${path}: ${valueText(change.before)} → ${valueText(change.after)}`, 'yellow');
}

function valueText(value: unknown): string {
  return cut(oneLine(JSON.stringify(value)), SHOWN_VALUE);
}
