import { validate } from '../../contract/validate.ts';
import type { Definition } from '../../contract/definition.ts';
import { createValidationError, WeftError, type FieldError } from '../../contract/errors.ts';
import type { TemplateParameter } from '../../contract/requests/template.ts';
import { WorkflowBodySchema } from '../../contract/requests/workflow.ts';
import type { ParameterUse } from '../../expressions/parameters/compile-parameters.ts';
import { ParameterError, ParametersTooLargeError } from '../../expressions/errors.ts';
import { compileParameters, type ParameterBody } from '../../expressions/parameters/template-parameters.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import { readSettings } from './lifecycle.ts';

/** The first segment of every pointer into the body. */
const ROOT = 'workflow';
/**
 * Fields that determine the graph: with a parameter in one of them, the graph is unknown until the parameter
 * has a value.
 */
const GRAPH_FIELD =
  /^workflow\.definition(?:$|\.nodes(?:$|\[\d+\](?:$|\.(?:id|type|version|config)$))|\.connections(?:$|\[|\.))/;

export function readBody(workflow: JsonObject): ParameterBody {
  return compileParameters(workflow, ROOT);
}

/**
 * Checks what does not depend on parameter values: that the body can be parsed, that its parameters are
 * declared, and that the parts without parameters are well-formed. `findFormErrors` returns the form errors
 * of a definition, with fields that begin with `definition.`.
 */
export async function checkTemplateDefinition(
  workflow: JsonObject,
  parameters: readonly TemplateParameter[],
  types: Pick<NodeTypes, 'get'>,
  findFormErrors: (definition: Definition) => Promise<readonly FieldError[]>,
): Promise<FieldError[]> {
  const body = readBody(workflow);
  const errors = [
    ...body.errors.map(({ pointer, message }): FieldError => ({ field: pointer, issue: message })),
    ...findUseErrors(body, parameters),
    ...checkTemplateCode(workflow, body.uses, types),
  ];
  if (errors.length > 0) return errors;
  const open = new Set(body.uses.map((use) => use.pointer));
  const isCertain = (problem: FieldError): boolean => !open.has(problem.field);
  const shape = findShapeErrors(workflow).filter(isCertain);
  if (shape.length > 0) return shape;
  const { settings, definition } = workflow;
  if (isObject(settings)) {
    const wrong = readSettings(settings).errors.map(({ field, issue }) => ({
      field: `${ROOT}.${field}`,
      issue,
    }));
    if (wrong.some(isCertain)) return wrong.filter(isCertain);
  }
  if (!isObject(definition) || body.uses.some(({ pointer }) => GRAPH_FIELD.test(pointer))) return [];
  const form = await findFormErrors(definition as unknown as Definition);
  return form.map(({ field, issue }) => ({ field: `${ROOT}.${field}`, issue })).filter(isCertain);
}

function findUseErrors(body: ParameterBody, parameters: readonly TemplateParameter[]): FieldError[] {
  const declared = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const errors: FieldError[] = [];
  for (const { pointer, names } of body.uses) {
    for (const name of names) {
      if (declared.has(name)) continue;
      const known = declared.size === 0 ? 'none are' : `declared are ${[...declared.keys()].join(', ')}`;
      errors.push({ field: pointer, issue: `uses the parameter ${name}, which is not declared; ${known}` });
    }
  }
  for (const { name, pointer } of body.secretUses) {
    const parameter = declared.get(name);
    if (parameter === undefined) continue;
    if (parameter.type !== 'secret')
      errors.push({
        field: pointer,
        issue: `names a secret by the parameter ${name}, which must be of type secret`,
      });
    else if (!parameter.required && parameter.default === undefined)
      errors.push({
        field: pointer,
        issue: `needs the parameter ${name}, which must be required or have a default`,
      });
  }
  return errors;
}

/**
 * Rejects parameters in code, because the code would then come from the caller who sets the parameter.
 * `workflow` may be filled or not: the positions are the same, but all node types are known only when it is
 * filled.
 */
export function checkTemplateCode(
  workflow: JsonObject,
  uses: readonly ParameterUse[],
  types: Pick<NodeTypes, 'get'>,
): FieldError[] {
  const { definition } = workflow;
  const nodes = isObject(definition) && Array.isArray(definition['nodes']) ? definition['nodes'] : [];
  const open = new Set(uses.map(({ pointer }) => pointer));
  const errors: FieldError[] = [];
  for (const [i, node] of nodes.entries()) {
    if (!isObject(node) || typeof node['type'] !== 'string' || !isObject(node['config'])) continue;
    for (const { field } of types.get(node['type'])?.sources?.(node['config']) ?? []) {
      const location = `${ROOT}.definition.nodes[${i}].config.${field}`;
      if (listEnclosingPointers(location).some((pointer) => open.has(pointer)))
        errors.push({
          field: location,
          issue: 'is code, and must not hold a parameter; it can arrive as input',
        });
    }
  }
  return errors;
}

function findShapeErrors(workflow: JsonObject): FieldError[] {
  try {
    validate(WorkflowBodySchema, workflow, ROOT);
    return [];
  } catch (error) {
    if (error instanceof WeftError && Array.isArray(error.details['errors'])) {
      return error.details['errors'] as FieldError[];
    }
    throw error;
  }
}

/**
 * @throws {WeftError} VALIDATION_ERROR at `parameters.NAME`; PAYLOAD_TOO_LARGE when the workflow would be too
 * large.
 */
export function fillTemplate(body: ParameterBody, values: JsonObject, now: number): Json {
  try {
    return body.fill(values, { now, limit: limits.requestBodyBytes });
  } catch (error) {
    if (error instanceof ParameterError)
      throw createValidationError([{ field: `parameters.${error.parameter}`, issue: error.message }]);
    if (error instanceof ParametersTooLargeError) {
      throw new WeftError('PAYLOAD_TOO_LARGE', 'The workflow would be too large.', {
        limit: limits.requestBodyBytes,
      });
    }
    throw error;
  }
}

/** Maps the errors of an instantiated workflow to the parameters whose values caused them. */
export function mapToParameterErrors(error: unknown, uses: readonly ParameterUse[]): unknown {
  if (!(error instanceof WeftError) || error.code !== 'VALIDATION_ERROR') return error;
  const errors = error.details['errors'];
  if (!Array.isArray(errors)) return error;
  return createValidationError(
    (errors as FieldError[]).map(({ field, issue }) => {
      const location = `${ROOT}.${field}`;
      const use = uses.find(({ pointer }) => location === pointer || isBelow(location, pointer));
      const [name] = use?.names ?? [];
      return name === undefined
        ? { field: location, issue }
        : { field: `parameters.${name}`, issue: `${issue} (at ${location})` };
    }),
  );
}

/** Returns the pointer and the pointers of all values that contain it. */
function listEnclosingPointers(pointer: string): string[] {
  return [pointer, ...[...pointer.matchAll(/[.[]/g)].map(({ index }) => pointer.slice(0, index))];
}

function isBelow(location: string, pointer: string): boolean {
  return location.startsWith(pointer) && /^[.[]/.test(location.slice(pointer.length));
}
