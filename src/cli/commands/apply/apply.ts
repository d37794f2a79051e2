import { WeftError, type Workflow, type WorkflowSummary } from '../../../../sdk/src/index.ts';
import type { ConnectOptions } from '../../connect.ts';
import { exitCodes, describeError, type Failure } from '../../error-message.ts';
import type { Printer } from '../../terminal/printer.ts';
import { confirm } from '../../terminal/prompt.ts';
import type { RunContext } from '../../run-context.ts';
import { cut, toOneLine } from '../../terminal/text.ts';
import { UsageError } from '../../usage-error.ts';
import { findSurplus, groupTag } from './apply-group.ts';
import { decideAction, noteUnknownTypes, planSteps, sendStep, type Action, type Step } from './apply-plan.ts';
import type { Change } from './workflow-diff.ts';
import { readWorkflowFiles } from './workflow-file.ts';
import { noteIssues } from '../workflows.ts';

type ApplyOptions = ConnectOptions & {
  readonly file?: readonly string[];
  readonly dryRun?: boolean;
  readonly detailedExitcode?: boolean;
  readonly group?: string;
  readonly prune?: boolean;
  readonly yes?: boolean;
};

/** One entry of `results` in the --json output. */
type Result = {
  readonly file: string | null;
  readonly action: Action | 'delete';
  readonly id: string | null;
  readonly name: string;
  readonly version: number | null;
  readonly changes: readonly Change[];
  readonly issues: Workflow['issues'];
  /** Why the service would reject it; only in a dry run, because an apply stops there. */
  readonly error?: Failure['body'];
};

/** Maximum width of a value in the diff, in columns. */
const MAX_VALUE_WIDTH = 60;

/**
 * Makes the service's workflows match the files. Everything is read, validated and compared before anything
 * is sent; a workflow that is changed meanwhile fails with a conflict. In a dry run the service validates
 * each step, and the exit code is that of an apply.
 */
export async function applyFiles(
  context: RunContext,
  options: ApplyOptions,
  ...given: string[]
): Promise<number | undefined> {
  const { printer, terminal } = context;
  const names = [...(options.file ?? []), ...given];
  if (names.length === 0)
    throw new UsageError('weft apply requires files, folders, or - for standard input.');
  checkOptions(context, options);
  const isDryRun = options.dryRun === true;
  const tag = options.group === undefined ? null : groupTag(options.group);
  const steps = await planSteps(context, await readWorkflowFiles(terminal, names));
  await noteUnknownTypes(context, steps);
  const kept = new Set(steps.flatMap(({ stored }) => (stored === null ? [] : [stored.id])));
  const surplus = options.prune === true && tag !== null ? await findSurplus(context, tag, kept) : [];
  if (!isDryRun && options.yes !== true && !(await mayDelete(context, surplus))) {
    printer.note('Nothing was applied.');
    return exitCodes.failed;
  }

  const results: Result[] = [];
  let refusal: WeftError | null = null;
  for (const step of steps) {
    const { result, error } = await applyStep(context, step, { isDryRun, tag });
    results.push(result);
    refusal ??= error;
  }
  for (const workflow of surplus) results.push(await prune(context, workflow, isDryRun));
  printer.show({ dry_run: isDryRun, results }, () => {
    if (isDryRun) printer.note('Nothing was changed: this was a dry run.');
  });
  if (refusal !== null) throw refusal;
  const isChanged = results.some(({ action }) => action !== 'unchanged');
  return options.detailedExitcode === true && isChanged ? exitCodes.changes : undefined;
}

function checkOptions({ terminal }: RunContext, options: ApplyOptions): void {
  const isDryRun = options.dryRun === true;
  if (options.detailedExitcode === true && !isDryRun)
    throw new UsageError('--detailed-exitcode requires --dry-run.');
  if (options.yes === true && options.prune !== true) throw new UsageError('--yes requires --prune.');
  if (options.prune !== true) return;
  if (options.group === undefined)
    throw new UsageError(
      '--prune needs --group: only workflows that apply created for that group are deleted.',
    );
  if (!isDryRun && options.yes !== true && !terminal.isInteractive)
    throw new UsageError('Without a terminal, --prune requires --yes.');
}

/** Asks for confirmation of the deletions. */
async function mayDelete(
  { printer, terminal }: RunContext,
  surplus: readonly WorkflowSummary[],
): Promise<boolean> {
  if (surplus.length === 0) return true;
  for (const one of surplus) printer.note(`  ${pruneText(one)}`);
  const what = surplus.length === 1 ? 'this workflow' : `these ${surplus.length} workflows`;
  return confirm(
    terminal,
    `Delete ${what}, with all executions? No file names ${surplus.length === 1 ? 'it' : 'them'}.`,
  );
}

async function applyStep(
  context: RunContext,
  step: Step,
  how: { readonly isDryRun: boolean; readonly tag: string | null },
): Promise<{ result: Result; error: WeftError | null }> {
  const { printer } = context;
  const { file, stored, changes } = step;
  const action = decideAction(step);
  let done = stored;
  let error: WeftError | null = null;
  if (action !== 'unchanged') {
    try {
      done = await sendStep(context, step, how);
    } catch (caught) {
      if (!how.isDryRun || !(caught instanceof WeftError) || describeError(caught).code !== exitCodes.refused)
        throw caught;
      error = caught;
    }
  }
  // A workflow that a dry run would create has no id and no version yet.
  const shown = how.isDryRun ? stored : done;
  const result: Result = {
    file: file.from,
    action,
    id: shown?.id ?? null,
    name: file.body.name,
    version: shown?.version ?? null,
    changes,
    issues: done?.issues ?? [],
    ...(error === null ? {} : { error: describeError(error).body }),
  };
  if (!printer.isJson) {
    printer.line(formatTitle(printer, step, result, how.isDryRun));
    for (const change of changes) printer.line(`  ${changeLine(printer, change)}`);
    if (error === null && done !== null && action !== 'unchanged') noteIssues(printer, done);
  }
  return { result, error };
}

async function prune(
  { client, printer, signal }: RunContext,
  workflow: WorkflowSummary,
  isDryRun: boolean,
): Promise<Result> {
  if (!isDryRun) await client.workflows.delete(workflow.id, {}, { signal });
  const { id, name, version } = workflow;
  if (!printer.isJson)
    printer.line(printer.paint(`- ${isDryRun ? 'would delete' : 'deleted'} ${pruneText(workflow)}`, 'red'));
  return { file: null, action: 'delete', id, name, version, changes: [], issues: [] };
}

function pruneText({ id, name, execution_count }: WorkflowSummary): string {
  return `${id}  ${toOneLine(name)} (${execution_count} executions)`;
}

function formatTitle(
  printer: Printer,
  step: Step,
  { id, version, error }: Result,
  isDryRun: boolean,
): string {
  const name = toOneLine(step.file.body.name);
  const at = id === null ? '' : ` ${id}`;
  if (error !== undefined) return printer.paint(`! would be refused${at}  ${name}`, 'red');
  switch (decideAction(step)) {
    case 'create':
      return printer.paint(`+ ${isDryRun ? 'would create' : 'created'}${at}  ${name}`, 'green');
    case 'unchanged':
      return printer.paint(`= unchanged${at}  ${name}`, 'dim');
    case 'update': {
      const text = isDryRun ? '' : ` (version ${version})`;
      return printer.paint(`~ ${isDryRun ? 'would update' : 'updated'}${at}  ${name}${text}`, 'yellow');
    }
  }
}

function changeLine(printer: Printer, change: Change): string {
  const path = toOneLine(change.path);
  if (!('before' in change)) return printer.paint(`+ ${path}: ${valueText(change.after)}`, 'green');
  if (!('after' in change)) return printer.paint(`- ${path}: ${valueText(change.before)}`, 'red');
  return printer.paint(`~ ${path}: ${valueText(change.before)} → ${valueText(change.after)}`, 'yellow');
}

function valueText(value: unknown): string {
  return cut(toOneLine(JSON.stringify(value)), MAX_VALUE_WIDTH);
}
