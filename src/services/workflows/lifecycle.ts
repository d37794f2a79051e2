import type { Definition, Issue, WorkflowSettings, WorkflowStatus } from '../../contract/definition.ts';
import { createConflictError, createValidationError, type FieldError } from '../../contract/errors.ts';
import type { SettingsSchema } from '../../contract/requests/workflow.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { Static } from 'typebox';
import type { DefinitionErrors } from './validate-definition.ts';

const transitions: Readonly<Record<WorkflowStatus, readonly WorkflowStatus[]>> = {
  draft: ['active'],
  active: ['inactive'],
  inactive: ['active', 'draft'],
};

/** @throws {WeftError} CONFLICT when the transition is not allowed. */
export function checkTransition(from: WorkflowStatus, to: WorkflowStatus): void {
  if (from === to || transitions[from].includes(to)) return;
  throw createConflictError(
    `A workflow cannot go from ${from} to ${to}; from ${from} it can go to ${transitions[from].join(' or ')}.`,
    {
      field: 'status',
      from,
      to,
      allowed: transitions[from],
    },
  );
}

/**
 * Returns the settings in the form in which they are stored; null clears a setting. `isOwn` reports whether
 * the owner has a workflow with that id.
 * @throws {WeftError} VALIDATION_ERROR with fields that begin with `settings.`.
 */
export async function checkSettings(
  given: Static<typeof SettingsSchema>,
  isOwn: (workflowId: string) => Promise<boolean>,
): Promise<WorkflowSettings> {
  const { settings, errors } = readSettings(given);
  const { on_failure_workflow: other } = settings;
  if (other !== undefined && !(await isOwn(other)))
    errors.push({ field: 'settings.on_failure_workflow', issue: 'is not the id of one of your workflows' });
  if (errors.length > 0) throw createValidationError(errors);
  return settings;
}

/** Does the same without the checks that need the store. */
export function readSettings(given: Static<typeof SettingsSchema>): {
  settings: WorkflowSettings;
  errors: FieldError[];
} {
  const settings: WorkflowSettings = {};
  const errors: FieldError[] = [];
  for (const name of ['timeout', 'retention'] as const) {
    const text = given[name];
    if (typeof text !== 'string') continue;
    const ms = parseDuration(text);
    if (ms === null || ms === 0) {
      errors.push({
        field: `settings.${name}`,
        issue: 'takes a duration above zero and up to 366d, such as "30s" or "14d"',
      });
    } else {
      settings[name] = text;
    }
  }
  if (typeof given.max_concurrency === 'number') settings.max_concurrency = given.max_concurrency;
  for (const name of ['max_cost_per_day', 'max_tokens_per_day'] as const) {
    const value = given[name];
    if (typeof value === 'number') settings[name] = value;
  }
  if (typeof given.on_failure_workflow === 'string') settings.on_failure_workflow = given.on_failure_workflow;
  return { settings, errors };
}

/**
 * Returns the definition as it is saved: both lists are present, and each node type is pinned to its newest
 * version.
 */
export function completeDefinition(
  given: { nodes?: unknown; connections?: unknown; annotations?: unknown } | undefined,
  types: NodeTypes,
): Definition {
  // The schema was validated earlier: only `config` has a free form.
  const { nodes = [], connections = [], annotations } = (given ?? {}) as Partial<Definition>;
  return {
    nodes: nodes.map((node) => {
      const version = node.version ?? types.get(node.type)?.version;
      return version === undefined ? node : { ...node, version };
    }),
    connections,
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Returns the errors that prevent a definition from running, with the field names of error responses. */
export function checkRunnable({ form, runIssues }: DefinitionErrors, definition: Definition): FieldError[] {
  return [...form, ...toIssues(runIssues, definition)];
}

/** @throws {WeftError} VALIDATION_ERROR with all errors that prevent the definition from running. */
export function requireRunnable(found: DefinitionErrors, definition: Definition): void {
  const errors = checkRunnable(found, definition);
  const [first] = errors;
  if (first !== undefined)
    throw createValidationError(errors, `The workflow cannot run: ${first.field}: ${first.issue}`);
}

/** Maps content errors to the field names of error responses: `definition.nodes[2].config.url`. */
export function toIssues(issues: readonly Issue[], definition: Definition): FieldError[] {
  const index = new Map(definition.nodes.map((node, i) => [node.id, i]));
  return issues.map(({ node_id, field, issue }) => {
    const i = node_id === null ? undefined : index.get(node_id);
    if (i === undefined) return { field, issue };
    return { field: field === '' ? `definition.nodes[${i}]` : `definition.nodes[${i}].${field}`, issue };
  });
}
