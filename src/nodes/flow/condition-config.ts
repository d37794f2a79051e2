import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { compileCondition, ConditionError, OPERATORS, type Condition } from './condition-evaluator.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { closed, inputPath, oneOfTexts } from '../schema.ts';
import { removeConditionTemplates } from './condition-template.ts';
import { ui } from '../ui-hints.ts';

const group = Type.Unsafe<JsonObject>({ type: 'object' });

/**
 * Schema of a condition. `conditionFaults` validates the rest, such as the value that an operator requires.
 */
export function conditionField(
  description = 'A comparison {field, operator, value} or a group {all: […]}, {any: […]} or {not: {…}}.',
) {
  return closed(
    {
      field: Type.Optional(inputPath({ description: 'The input field to compare.' })),
      operator: Type.Optional(oneOfTexts(OPERATORS)),
      value: Type.Optional(Type.Unsafe<Json>({ description: 'The value to compare with.' })),
      all: Type.Optional(Type.Array(group, { description: 'All of these conditions must be true.' })),
      any: Type.Optional(
        Type.Array(group, { description: 'At least one of these conditions must be true.' }),
      ),
      not: Type.Optional(group),
    },
    { description, ...ui({ hint: '' }) },
  );
}

/**
 * A condition without templates is the same object in every run of its node, so compiled conditions are
 * cached by object.
 */
const compiled = new WeakMap<object, Condition>();

/** @throws {ConditionError} if a template produced a value that the operator does not accept. */
export function readCondition(json: JsonObject): Condition {
  let test = compiled.get(json);
  if (test === undefined) {
    test = compileCondition(json);
    compiled.set(json, test);
  }
  return test;
}

/**
 * Returns the first error of a condition. Templated values count as valid. `at` is the path of the condition.
 */
export function validateCondition(json: Json | undefined, at = 'condition'): FieldError[] {
  if (!isObject(json))
    return [{ field: at, issue: 'must be an object; templates are allowed only in its values' }];
  try {
    compileCondition(removeConditionTemplates(json));
    return [];
  } catch (error) {
    if (error instanceof ConditionError)
      return [{ field: error.field.replace('condition', at), issue: error.message }];
    throw error;
  }
}
