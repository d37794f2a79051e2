import type { ErrorObject } from 'ajv';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import type { Assertions } from './schema-assertions.ts';
import { readAssertions, findFailedAssertion, findMissingDependent } from './schema-assertions.ts';
import { SchemaWorkError } from './schema-error.ts';
import { isInFormat } from './schema-formats.ts';
import { compileSchemaPattern } from './schema-patterns.ts';
import type { Resource, SchemaSet } from './schema-resources.ts';

/** Maximum number of schema evaluations in one validation, including the values each one visits. */
const MAX_STEPS = 6_000_000;
/**
 * Maximum nesting of schema evaluations in one validation: data depth times schema depth, plus references.
 */
const MAX_DEPTH = 1_500;

/** The keywords to evaluate for a schema, so that missing keywords cost nothing. */
type Plan = {
  readonly resource: Resource;
  readonly assertions: Assertions;
  readonly format: string | null;
  readonly patterns: readonly (readonly [string, Json])[];
  readonly isAboutAny: boolean;
  readonly isAboutItems: boolean;
  readonly isAboutNames: boolean;
  readonly isAboutDependents: boolean;
  readonly isAboutRest: boolean;
  readonly isReference: boolean;
};

/** The plans of all schemas of a set, created on first use. */
export class Plans {
  readonly set: SchemaSet;
  readonly #plans = new Map<JsonObject, Plan | null>();

  constructor(set: SchemaSet) {
    this.set = set;
  }

  /** Null if the value is not a schema of the set. */
  of(schema: JsonObject): Plan | null {
    let plan = this.#plans.get(schema);
    if (plan === undefined) {
      const resource = this.set.resourceBySchema.get(schema);
      plan = resource === undefined ? null : createPlan(schema, resource);
      this.#plans.set(schema, plan);
    }
    return plan;
  }
}

function createPlan(schema: JsonObject, resource: Resource): Plan {
  const { applicator, unevaluated, validation, format } = resource.dialect;
  const hasOne = (...names: string[]): boolean => names.some((name) => Object.hasOwn(schema, name));
  const { patternProperties } = schema;
  return {
    resource,
    assertions: validation ? readAssertions(schema) : [],
    format: format && typeof schema['format'] === 'string' ? schema['format'] : null,
    patterns: isObject(patternProperties) ? Object.entries(patternProperties) : [],
    isAboutAny: applicator && hasOne('allOf', 'anyOf', 'oneOf', 'not', 'if'),
    isAboutItems: applicator && hasOne('items', 'prefixItems', 'contains'),
    isAboutNames:
      applicator && hasOne('properties', 'patternProperties', 'additionalProperties', 'propertyNames'),
    isAboutDependents: applicator && hasOne('dependentSchemas', 'dependencies'),
    isAboutRest: unevaluated && hasOne('unevaluatedItems', 'unevaluatedProperties'),
    isReference: hasOne('$ref', '$dynamicRef'),
  };
}

/** The properties and items already evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
class EvaluatedParts {
  readonly names = new Set<string>();
  readonly places = new Set<number>();

  add(other: EvaluatedParts): void {
    for (const name of other.names) this.names.add(name);
    for (const location of other.places) this.places.add(location);
  }
}

/**
 * One validation of one value. The schema is interpreted recursively with a depth limit. Evaluation stops at
 * the first decisive error.
 */
export class SchemaEvaluation {
  /** The reason, after a validation that failed. */
  error: ErrorObject | null = null;
  readonly #plans: Plans;
  readonly #keepsSeen: boolean;
  /** The dynamic scope: the resources entered, outermost first. */
  readonly #scope: Resource[] = [];
  readonly #path: (string | number)[] = [];
  #depth = 0;
  #steps = 0;

  /** `keepsSeen`: a schema of the set contains an `unevaluated…` keyword. */
  constructor(plans: Plans, keepsSeen: boolean) {
    this.#plans = plans;
    this.#keepsSeen = keepsSeen;
  }

  /** Whether a value matches the root of the set. @throws {SchemaWorkError} */
  fits(value: Json): boolean {
    return this.#fits(this.#plans.set.root, value, null);
  }

  /**
   * Adds the evaluated properties and items to `around` if the value matches and both schemas apply to the
   * same value.
   */
  #fits(schema: Json, value: Json, around: EvaluatedParts | null): boolean {
    if (schema === false) return this.#fail({ keyword: 'false schema', params: {} }, {});
    if (!isObject(schema)) return true;
    if (++this.#depth > MAX_DEPTH) throw new SchemaWorkError('refers to itself without end');
    this.#count(1);
    const plan = this.#plans.of(schema);
    const isEntered = plan !== null && this.#scope.at(-1) !== plan.resource;
    if (isEntered) this.#scope.push(plan.resource);
    const seen = this.#keepsSeen ? new EvaluatedParts() : null;
    const fits = plan === null || this.#keywords(schema, value, plan, seen);
    if (isEntered) this.#scope.pop();
    this.#depth--;
    if (fits && seen !== null) around?.add(seen);
    return fits;
  }

  #keywords(schema: JsonObject, value: Json, plan: Plan, seen: EvaluatedParts | null): boolean {
    if (Array.isArray(value) && schema['uniqueItems'] === true) this.#count(value.length);
    const miss = findFailedAssertion(plan.assertions, value);
    if (miss !== null) return this.#fail(miss, schema);
    const { format } = plan;
    if (format !== null && !isInFormat(format, value))
      return this.#fail({ keyword: 'format', params: { format } }, schema);
    if (plan.isReference && !this.#references(schema, value, seen)) return false;
    if (plan.isAboutAny && !this.#choices(schema, value, seen)) return false;
    if (Array.isArray(value)) {
      if (plan.isAboutItems && !this.#items(schema, value, seen)) return false;
    } else if (isObject(value)) {
      if (plan.isAboutNames && !this.#properties(schema, value, plan, seen)) return false;
      if (plan.isAboutDependents && !this.#dependents(schema, value, seen)) return false;
    }
    return !plan.isAboutRest || seen === null || this.#unevaluated(schema, value, seen);
  }

  #references(schema: JsonObject, value: Json, seen: EvaluatedParts | null): boolean {
    const { references, dynamicReferences } = this.#plans.set;
    const target = references.get(schema);
    if (target !== undefined && !this.#fits(target, value, seen)) return false;
    const dynamic = dynamicReferences.get(schema);
    if (dynamic === undefined) return true;
    const { anchor } = dynamic;
    const outermost =
      anchor === null ? undefined : this.#scope.find((resource) => resource.dynamicAnchors.has(anchor));
    return this.#fits(outermost?.dynamicAnchors.get(anchor ?? '') ?? dynamic.target, value, seen);
  }

  #choices(schema: JsonObject, value: Json, seen: EvaluatedParts | null): boolean {
    const { allOf, anyOf, oneOf, not, if: condition } = schema;
    for (const inner of list(allOf)) if (!this.#fits(inner, value, seen)) return false;
    if (anyOf !== undefined) {
      let count = 0;
      for (const inner of list(anyOf)) {
        if (this.#fits(inner, value, seen)) count++;
        // Properties and items evaluated by the other branches count too.
        if (count > 0 && seen === null) break;
      }
      if (count === 0) return this.#fail({ keyword: 'anyOf', params: {} }, schema);
    }
    if (oneOf !== undefined) {
      let count = 0;
      for (const inner of list(oneOf)) if (this.#fits(inner, value, seen) && ++count > 1) break;
      if (count !== 1) return this.#fail({ keyword: 'oneOf', params: {} }, schema);
    }
    if (not !== undefined && this.#fits(not, value, null))
      return this.#fail({ keyword: 'not', params: {} }, schema);
    if (condition === undefined) return true;
    const way = this.#fits(condition, value, seen) ? schema['then'] : schema['else'];
    return way === undefined || this.#fits(way, value, seen);
  }

  #items(schema: JsonObject, value: Json[], seen: EvaluatedParts | null): boolean {
    const { items, contains } = schema;
    const first = list(schema['prefixItems']);
    const end = items === undefined ? Math.min(first.length, value.length) : value.length;
    for (let i = 0; i < end; i++) {
      if (!this.#inside(first[i] ?? items ?? true, value[i] ?? null, i)) return false;
      seen?.places.add(i);
    }
    if (contains === undefined) return true;
    const least = Number(schema['minContains'] ?? 1);
    const most = Number(schema['maxContains'] ?? Infinity);
    let count = 0;
    for (const [i, element] of value.entries())
      if (this.#inside(contains, element, i)) {
        count++;
        seen?.places.add(i);
      }
    if (count >= least && count <= most) return true;
    const message = count < least ? `must have at least ${least}` : `must have at most ${most}`;
    return this.#fail({ keyword: 'contains', params: {} }, schema, `${message} entries that match contains`);
  }

  #properties(
    schema: JsonObject,
    value: JsonObject,
    { patterns }: Plan,
    seen: EvaluatedParts | null,
  ): boolean {
    const { properties, additionalProperties, propertyNames } = schema;
    for (const [name, part] of Object.entries(value)) {
      this.#count(1 + patterns.length);
      if (propertyNames !== undefined && !this.#fits(propertyNames, name, null))
        return this.#fail({ keyword: 'propertyNames', params: { propertyName: name } }, schema);
      let isKnown = isObject(properties) && Object.hasOwn(properties, name);
      if (isKnown && !this.#inside((properties as JsonObject)[name] ?? true, part, name)) return false;
      for (const [pattern, inner] of patterns) {
        if (!compileSchemaPattern(pattern).test(name)) continue;
        isKnown = true;
        if (!this.#inside(inner, part, name)) return false;
      }
      if (!isKnown && additionalProperties !== undefined) {
        if (additionalProperties === false)
          return this.#fail(
            { keyword: 'additionalProperties', params: { additionalProperty: name } },
            schema,
          );
        if (!this.#inside(additionalProperties, part, name)) return false;
        isKnown = true;
      }
      if (isKnown) seen?.names.add(name);
    }
    return true;
  }

  /** `dependentSchemas`, and the older `dependencies`, where a list of names means required properties. */
  #dependents(schema: JsonObject, value: JsonObject, seen: EvaluatedParts | null): boolean {
    for (const keyword of ['dependentSchemas', 'dependencies']) {
      const dependents = schema[keyword];
      for (const [name, inner] of Object.entries(isObject(dependents) ? dependents : {})) {
        if (!Object.hasOwn(value, name)) continue;
        if (!Array.isArray(inner)) {
          if (!this.#fits(inner, value, seen)) return false;
          continue;
        }
        const missing = findMissingDependent({ [name]: inner }, value);
        if (missing !== null) return this.#fail({ keyword: 'dependentRequired', params: missing }, schema);
      }
    }
    return true;
  }

  #unevaluated(schema: JsonObject, value: Json, seen: EvaluatedParts): boolean {
    const { unevaluatedItems, unevaluatedProperties } = schema;
    if (unevaluatedItems !== undefined && Array.isArray(value))
      for (const [i, element] of value.entries()) {
        if (seen.places.has(i)) continue;
        if (!this.#inside(unevaluatedItems, element, i)) return false;
        seen.places.add(i);
      }
    if (unevaluatedProperties !== undefined && isObject(value))
      for (const [name, part] of Object.entries(value)) {
        if (seen.names.has(name)) continue;
        if (unevaluatedProperties === false)
          return this.#fail(
            { keyword: 'unevaluatedProperties', params: { unevaluatedProperty: name } },
            schema,
          );
        if (!this.#inside(unevaluatedProperties, part, name)) return false;
        seen.names.add(name);
      }
    return true;
  }

  /** Evaluates a part of the value, which has its own evaluated properties and items. */
  #inside(schema: Json, part: Json, at: string | number): boolean {
    this.#path.push(at);
    const fits = this.#fits(schema, part, null);
    this.#path.pop();
    return fits;
  }

  #count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS)
      throw new SchemaWorkError(`needs more than ${MAX_STEPS} steps for this input`);
  }

  #fail(
    { keyword, params }: { keyword: string; params: Record<string, unknown> },
    schema: JsonObject,
    message?: string,
  ): false {
    const instancePath = this.#path
      .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
    this.error = { keyword, params, instancePath, schemaPath: '', parentSchema: schema };
    if (message !== undefined) this.error.message = message;
    return false;
  }
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
