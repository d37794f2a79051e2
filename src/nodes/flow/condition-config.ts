import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { compileCondition, ConditionError, OPERATORS, type Condition } from './condition-evaluator.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { closed, inputPath, oneOfTexts } from '../schema.ts';
import { untemplatedCondition } from './condition-template.ts';

const group = Type.Unsafe<JsonObject>({ type: 'object' });

/** The schema of a condition; what it cannot say (which operator takes which value) is for `conditionFaults`. */
export function conditionField(
  description = '{field, operator, value}, or a group: {all: […]}, {any: […]} or {not: {…}}.',
) {
  return closed(
    {
      field: Type.Optional(inputPath({ description: 'What to compare: a path in what arrived.' })),
      operator: Type.Optional(oneOfTexts(OPERATORS)),
      value: Type.Optional(Type.Unsafe<Json>({ description: 'What to compare with.' })),
      all: Type.Optional(Type.Array(group, { description: 'A group: each condition in it must hold.' })),
      any: Type.Optional(Type.Array(group, { description: 'A group: at least one must hold.' })),
      not: Type.Optional(group),
    },
    { description },
  );
}

/** A condition without templates is the same object in every run of its node. */
const compiled = new WeakMap<object, Condition>();

/** @throws {ConditionError} when a template brought a value that the operator does not take. */
export function conditionOf(json: JsonObject): Condition {
  let test = compiled.get(json);
  if (test === undefined) {
    test = compileCondition(json);
    compiled.set(json, test);
  }
  return test;
}

/** The first fault of a condition, with templates in its values taken for values of the right type. `at` is where it stands. */
export function conditionFaults(json: Json | undefined, at = 'condition'): FieldError[] {
  if (!isObject(json))
    return [{ field: at, issue: 'takes an object; its fields may be templates, not the whole' }];
  try {
    compileCondition(untemplatedCondition(json));
    return [];
  } catch (error) {
    if (error instanceof ConditionError)
      return [{ field: error.field.replace('condition', at), issue: error.message }];
    throw error;
  }
}
