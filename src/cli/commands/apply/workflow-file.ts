import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ValidationError, type CreateWorkflowInput, type FieldError } from '../../../../sdk/src/index.ts';
import { validate } from '../../../contract/validate.ts';
import { WeftError } from '../../../contract/errors.ts';
import { WorkflowBodySchema, readOnlyWorkflowFields } from '../../../contract/requests/workflow.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { withoutGroupTags } from './apply-group.ts';
import { parseJson, readText } from '../input.ts';

/** A workflow in a file. */
export type WorkflowFile = {
  /** The file, and the index if it contains several. */
  readonly from: string;
  /** The id of the workflow; null: it is identified by its name. */
  readonly id: string | null;
  readonly body: CreateWorkflowInput;
};

/** Maximum number of workflows per apply. */
const MAX_WORKFLOWS = 1_000;

/**
 * Reads all workflows from files, from the `.json` files of folders, and from standard input (`-`). A file
 * contains one workflow or an array.
 * @throws {ValidationError} with the errors of all files, so that nothing is sent before every file is valid.
 */
export async function readWorkflowFiles(
  terminal: Pick<Terminal, 'stdin'>,
  given: readonly string[],
): Promise<WorkflowFile[]> {
  const found: WorkflowFile[] = [];
  const errors: FieldError[] = [];
  for (const file of given.flatMap(listFiles)) {
    const from = file === '-' ? 'standard input' : file;
    const value = parseJson(await readText(terminal, file), from);
    const list = Array.isArray(value) ? value : [value];
    for (const [i, one] of list.entries()) {
      const name = list.length === 1 ? from : `${from}[${i}]`;
      const { workflow, wrong } = read(name, one);
      if (workflow !== null) found.push(workflow);
      errors.push(
        ...wrong.map(({ field, issue }) => ({ field: `${name}: ${field}`.replace(/: $/, ''), issue })),
      );
    }
  }
  if (found.length > MAX_WORKFLOWS)
    throw new UsageError(`${found.length} workflows are more than the ${MAX_WORKFLOWS} that go at once.`);
  if (errors.length > 0) {
    const [first] = errors;
    throw new ValidationError('VALIDATION_ERROR', {
      message: `${first!.field}: ${first!.issue}`,
      details: { ...first, errors: errors },
      status: 400,
    });
  }
  if (found.length === 0) throw new UsageError('The folder contains no .json files.');
  return found;
}

function listFiles(given: string): string[] {
  if (given === '-' || statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true) return [given];
  return readdirSync(given)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => path.join(given, name));
}

function read(from: string, value: unknown): { workflow: WorkflowFile | null; wrong: readonly FieldError[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { workflow: null, wrong: [{ field: '', issue: 'must be a JSON object' }] };
  // Read-only fields of a response, which a file may contain.
  const beside = new Set<string>([...readOnlyWorkflowFields, 'version']);
  const body = Object.fromEntries(Object.entries(value).filter(([name]) => !beside.has(name)));
  const { id } = value as { id?: unknown };
  try {
    const whole = validate(WorkflowBodySchema, body) as CreateWorkflowInput;
    // The tag of a group is managed by apply, like the read-only fields.
    const checked = whole.tags === undefined ? whole : { ...whole, tags: withoutGroupTags(whole.tags) };
    return {
      workflow: { from, id: typeof id === 'string' ? id : null, body: checked },
      wrong: validateForm(checked),
    };
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    return { workflow: null, wrong: (error.details['errors'] as FieldError[] | undefined) ?? [] };
  }
}

/** Returns the errors that do not depend on the service's node types. */
function validateForm({ definition }: CreateWorkflowInput): FieldError[] {
  const { nodes = [], connections = [] } = definition ?? {};
  const ids = new Set<string>();
  const errors: FieldError[] = [];
  nodes.forEach(({ id }, i) => {
    if (ids.has(id)) errors.push({ field: `definition.nodes[${i}].id`, issue: `${id} is there twice` });
    ids.add(id);
  });
  connections.forEach((connection, i) => {
    for (const end of ['from', 'to'] as const) {
      if (!ids.has(connection[end]))
        errors.push({
          field: `definition.connections[${i}].${end}`,
          issue: `there is no node ${connection[end]}`,
        });
    }
  });
  return errors;
}
