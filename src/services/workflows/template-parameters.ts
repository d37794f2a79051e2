import type { Static } from 'typebox';
import { createValidationError, type FieldError } from '../../contract/errors.ts';
import { SECRET_NAME_PATTERN } from '../../contract/requests/accounts.ts';
import type {
  ParameterType,
  TemplateParameter,
  TemplateParameterSchema,
} from '../../contract/requests/template.ts';
import { containsPlaceholder } from '../../expressions/parameters/fill-parameters.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import { isForbiddenKey } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

const SECRET_NAME = new RegExp(SECRET_NAME_PATTERN);
/** Maximum length of the list of options in a message, in characters. */
const MAX_LISTED_CHARACTERS = 300;

/** Returns the parameters as they are stored. Errors have fields such as `parameters[1].options[0]`. */
export function completeParameters(given: readonly Static<typeof TemplateParameterSchema>[]): {
  parameters: TemplateParameter[];
  errors: FieldError[];
} {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const parameters = given.map((one, i) => {
    const parameter: TemplateParameter = {
      name: one.name,
      type: one.type as ParameterType,
      required: one.required ?? false,
      options: (one.options ?? []) as Json[],
      ...(one.default === undefined ? {} : { default: one.default as Json }),
      ...(one.description === undefined ? {} : { description: one.description }),
    };
    const at = `parameters[${i}]`;
    if (seen.has(one.name)) errors.push({ field: `${at}.name`, issue: `${one.name} is there twice` });
    if (isForbiddenKey(one.name)) errors.push({ field: `${at}.name`, issue: `${one.name} cannot be a name` });
    seen.add(one.name);
    errors.push(...findDeclarationErrors(parameter, at));
    return parameter;
  });
  return { parameters, errors };
}

function findDeclarationErrors(parameter: TemplateParameter, at: string): FieldError[] {
  const { type, options, required } = parameter;
  const errors: FieldError[] = [];
  if (type === 'select' && options.length === 0)
    errors.push({ field: `${at}.options`, issue: 'must have at least one value for the type select' });
  for (const [i, option] of options.entries()) {
    const issue = typeIssue(type, option);
    if (issue !== null) errors.push({ field: `${at}.options[${i}]`, issue });
  }
  if (parameter.default === undefined) return errors;
  const issue = required
    ? 'is never taken, because the parameter is required'
    : valueIssue(parameter, parameter.default);
  if (issue !== null) errors.push({ field: `${at}.default`, issue });
  return errors;
}

/**
 * Returns the parameter values of an instance, defaults included; null stands for a value that is not given.
 * @throws {WeftError} VALIDATION_ERROR whose fields are `parameters.NAME`.
 */
export function readValues(parameters: readonly TemplateParameter[], given: JsonObject): JsonObject {
  const errors: FieldError[] = [];
  const values: JsonObject = {};
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const names = known.size === 0 ? 'it has none' : `known are ${[...known.keys()].join(', ')}`;
    errors.push({ field: `parameters.${name}`, issue: `is not a parameter of this template; ${names}` });
  }
  for (const parameter of parameters) {
    const { name } = parameter;
    const value = (Object.hasOwn(given, name) ? given[name] : null) ?? parameter.default ?? null;
    if (value !== null) {
      const issue = valueIssue(parameter, value);
      if (issue !== null) errors.push({ field: `parameters.${name}`, issue });
      values[name] = value;
    } else if (parameter.required) errors.push({ field: `parameters.${name}`, issue: 'is required' });
  }
  if (errors.length > 0) throw createValidationError(errors);
  return values;
}

function valueIssue({ type, options }: TemplateParameter, value: Json): string | null {
  const issue = typeIssue(type, value);
  if (issue !== null || options.length === 0) return issue;
  return options.some((option) => isJsonEqual(option, value)) ? null : `must be one of ${listed(options)}`;
}

function typeIssue(type: ParameterType, value: Json): string | null {
  if (!isOfType(type, value)) return `must be ${typeNames[type]}`;
  // A value that is inserted into a configuration must not be evaluated as an expression.
  return containsPlaceholder(value) ? 'must not hold {{: a value is never a template' : null;
}

const typeNames: Readonly<Record<ParameterType, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  select: 'a text, a number, true or false',
  secret: 'the name of a secret: 1 to 64 letters, digits and _, not beginning with a digit',
};

function isOfType(type: ParameterType, value: Json): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'select':
      return value !== null && typeof value !== 'object';
    case 'secret':
      return typeof value === 'string' && SECRET_NAME.test(value);
    default:
      return typeof value === type;
  }
}

function listed(options: readonly Json[]): string {
  const text = options.map((option) => JSON.stringify(option)).join(', ');
  return text.length > MAX_LISTED_CHARACTERS ? `${text.slice(0, MAX_LISTED_CHARACTERS)}…` : text;
}
