import { countCharacters } from '../../../lib/text/code-points.ts';
import { isMultipleOf } from '../../../lib/multiple-of.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { areAllDifferent, formatCanonicalText } from '../text/canonical-text.ts';
import { compileSchemaPattern } from './schema-patterns.ts';

/** A failed assertion: the keyword and its parameters. */
export type FailedAssertion = { readonly keyword: string; readonly params: Record<string, unknown> };

type KeywordTest = (taken: Json, value: Json) => boolean;

/** Keywords of the validation vocabulary. None of them evaluates another schema. */
const assertions: ReadonlyMap<string, KeywordTest> = new Map<string, KeywordTest>([
  ['type', (taken, value) => (Array.isArray(taken) ? taken : [taken]).some((type) => isOfType(type, value))],
  ['enum', (taken, value) => Array.isArray(taken) && collectTexts(taken).has(formatCanonicalText(value))],
  ['const', isSame],
  ['multipleOf', forNumbers((limit, value) => isMultipleOf(value, limit))],
  ['maximum', forNumbers((limit, value) => value <= limit)],
  ['exclusiveMaximum', forNumbers((limit, value) => value < limit)],
  ['minimum', forNumbers((limit, value) => value >= limit)],
  ['exclusiveMinimum', forNumbers((limit, value) => value > limit)],
  ['maxLength', (taken, value) => typeof value !== 'string' || countCharacters(value) <= Number(taken)],
  ['minLength', (taken, value) => typeof value !== 'string' || countCharacters(value) >= Number(taken)],
  [
    'pattern',
    (taken, value) =>
      typeof value !== 'string' || typeof taken !== 'string' || compileSchemaPattern(taken).test(value),
  ],
  ['maxItems', (taken, value) => !Array.isArray(value) || value.length <= Number(taken)],
  ['minItems', (taken, value) => !Array.isArray(value) || value.length >= Number(taken)],
  ['uniqueItems', (taken, value) => taken !== true || !Array.isArray(value) || areAllDifferent(value)],
  ['maxProperties', (taken, value) => !isObject(value) || Object.keys(value).length <= Number(taken)],
  ['minProperties', (taken, value) => !isObject(value) || Object.keys(value).length >= Number(taken)],
  ['required', (taken, value) => !isObject(value) || findMissing(taken, value) === undefined],
  ['dependentRequired', (taken, value) => !isObject(value) || findMissingDependent(taken, value) === null],
]);

/** The assertions of a schema. */
export type Assertions = readonly {
  readonly keyword: string;
  readonly taken: Json;
  readonly holds: KeywordTest;
}[];

export function readAssertions(schema: JsonObject): Assertions {
  return Object.entries(schema).flatMap(([keyword, taken]) => {
    const holds = assertions.get(keyword);
    return holds === undefined ? [] : [{ keyword, taken, holds }];
  });
}

/** Returns the first assertion that a value fails. */
export function findFailedAssertion(all: Assertions, value: Json): FailedAssertion | null {
  for (const { keyword, taken, holds } of all)
    if (!holds(taken, value)) return { keyword, params: params(keyword, taken, value) };
  return null;
}

function params(keyword: string, taken: Json, value: Json): Record<string, unknown> {
  switch (keyword) {
    case 'type':
      return { type: taken };
    case 'enum':
      return { allowedValues: taken };
    case 'const':
      return { allowedValue: taken };
    case 'multipleOf':
    case 'pattern':
      return { [keyword]: taken };
    case 'required':
      return { missingProperty: isObject(value) ? findMissing(taken, value) : '' };
    case 'dependentRequired':
      return (isObject(value) && findMissingDependent(taken, value)) || {};
    default:
      return { limit: taken };
  }
}

/** Returns the first of the names that an object does not have. */
function findMissing(names: Json, value: JsonObject): string | undefined {
  return (Array.isArray(names) ? names : []).map(String).find((name) => !Object.hasOwn(value, name));
}

export function findMissingDependent(
  taken: Json,
  value: JsonObject,
): { property: string; missingProperty: string } | null {
  for (const [property, names] of Object.entries(isObject(taken) ? taken : {})) {
    const found = Object.hasOwn(value, property) ? findMissing(names, value) : undefined;
    if (found !== undefined) return { property, missingProperty: found };
  }
  return null;
}

function isOfType(type: Json, value: Json): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function forNumbers(holds: (limit: number, value: number) => boolean): KeywordTest {
  return (taken, value) => typeof value !== 'number' || holds(Number(taken), value);
}

function isSame(taken: Json, value: Json): boolean {
  if (typeof taken !== 'object' || taken === null) return taken === value;
  return typeof value === 'object' && collectTexts(taken, true).has(formatCanonicalText(value));
}

/**
 * Cached by the keyword's value, which is the same in each run: the texts of a list's elements, or of the
 * single value.
 */
const texts = new WeakMap<object, ReadonlySet<string>>();

function collectTexts(taken: Json[] | JsonObject, isOne = false): ReadonlySet<string> {
  let known = texts.get(taken);
  if (known === undefined) {
    known = new Set(
      Array.isArray(taken) && !isOne ? taken.map(formatCanonicalText) : [formatCanonicalText(taken)],
    );
    texts.set(taken, known);
  }
  return known;
}
