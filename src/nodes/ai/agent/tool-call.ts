import type { ToolCallPart } from '../../../contract/ai/models.ts';
import type { BodyResult } from '../../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { findSchemaViolation } from '../../data/json-schema/json-schema.ts';
import { SchemaWorkError } from '../../data/json-schema/schema-error.ts';
import { readCondition } from '../../flow/condition-config.ts';
import { ConditionError } from '../../flow/condition-evaluator.ts';
import { NO_PARAMETERS, type AgentTool } from './agent-config.ts';

/** What a tool returns to the model. `isError`: the call failed, was refused or did not fit. */
export type ToolResult = { readonly result: Json; readonly isError: boolean };

/** A call of the current turn. `changed`: the arguments that people replaced. */
export type ToolCall = {
  readonly part: ToolCallPart;
  readonly key: string;
  readonly tool: AgentTool | null;
  changed: Json | null;
  result: ToolResult | null;
};

/** The key of the body that asks for the approval of a call. */
export const formatApprovalKey = ({ key }: ToolCall): string => `${key}.approval`;

export function createErrorResult(message: string): ToolResult {
  return { result: { error: message }, isError: true };
}

/** Why the arguments of a call do not fit a tool; null if they do. */
export function findArgumentsIssue(tool: AgentTool, args: Json): string | null {
  if (typeof args === 'string') return 'The arguments are not valid JSON.';
  try {
    const error = findSchemaViolation(tool.parameters ?? NO_PARAMETERS, args);
    if (error === null) return isObject(args) ? null : 'The arguments must be an object.';
    return error.field === '' ? `The arguments: ${error.issue}.` : `${error.field}: ${error.issue}.`;
  } catch (error) {
    if (error instanceof SchemaWorkError) return `The arguments cannot be validated: ${error.message}.`;
    throw error;
  }
}

/** A call whose condition cannot be evaluated needs an approval. */
export function needsApproval({ approval }: AgentTool, args: Json): boolean {
  if (approval?.required === true) return true;
  if (approval?.when === undefined) return false;
  try {
    return readCondition(approval.when as JsonObject).holds(args);
  } catch (error) {
    if (error instanceof ConditionError) return true;
    throw error;
  }
}

/** What people decided about a call. */
export type Verdict =
  | { readonly kind: 'approved'; readonly arguments: Json; readonly isChanged: boolean }
  | { readonly kind: 'rejected'; readonly message: string };

/**
 * Reads the output of a node `approval`: the choice `approved` approves, with the arguments that the fields
 * of the decision replace. Everything else rejects, as does a deadline that passed.
 */
export function readVerdict(result: BodyResult, args: JsonObject, tool: AgentTool): Verdict {
  if (result.status === 'failed')
    return { kind: 'rejected', message: `The call was not approved: ${result.error.message}` };
  const { output } = result;
  if (!isObject(output) || output['choice'] !== 'approved') {
    const comment =
      isObject(output) && typeof output['comment'] === 'string' ? `: ${output['comment']}` : '.';
    return { kind: 'rejected', message: `A person refused the call${comment} Do not repeat it unchanged.` };
  }
  const names = Object.keys(
    isObject(tool.parameters?.['properties'] ?? null) ? (tool.parameters!['properties'] as JsonObject) : {},
  );
  const values = isObject(output['values'] ?? null) ? (output['values'] as JsonObject) : {};
  const changes = Object.entries(values).filter(
    ([name, value]) => names.includes(name) && JSON.stringify(value) !== JSON.stringify(args[name]),
  );
  return {
    kind: 'approved',
    arguments: { ...args, ...Object.fromEntries(changes) },
    isChanged: changes.length > 0,
  };
}

/** The result of a call whose nodes ended. `changed`: the arguments with which people let the call run. */
export function createToolResult(result: BodyResult, changed: Json | null): ToolResult {
  if (result.status === 'failed')
    return createErrorResult(`The tool failed with ${result.error.type}: ${result.error.message}`);
  const { output } = result;
  return {
    result: changed === null ? output : { approved_arguments: changed, result: output },
    isError: false,
  };
}
