import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { ExternalReferenceError, type References } from './references.ts';
import { DocumentError } from './document.ts';
import { mergeSchemas, readBranches, readConstraints, readTypes } from './schema-keywords.ts';

/** Nesting that is tried until the schema has at most the allowed number of parts. */
const DEPTHS = [12, 8, 6, 4, 3, 2, 1, 0];
const MAX_REQUEST_PARTS = 2_000;
const MAX_RESPONSE_PARTS = 600;
const MAX_DESCRIPTION_LENGTH = 600;
const MAX_EXAMPLE_LENGTH = 200;

class TooLargeError extends Error {}

/** `request`: with annotations, for a form. `response`: names and types only. */
type Purpose = 'request' | 'response';
type Reading = {
  readonly purpose: Purpose;
  /** A JSON pointer for errors. */
  readonly place: string;
  readonly maxDepth: number;
  readonly maxParts: number;
  parts: number;
};

/**
 * Converts schemas of a document to schemas that a form and the validator of configurations accept: without
 * references and `allOf`, with known keywords only. What cannot be expressed is left out, so a schema may
 * accept more than the one in the document, never less.
 */
export class FormSchemas {
  readonly #references: References;
  readonly #warn: (message: string) => void;
  /** Schemas that are only a reference, by purpose and reference. */
  readonly #read = new Map<string, JsonObject>();

  constructor(references: References, warn: (message: string) => void) {
    this.#references = references;
    this.#warn = warn;
  }

  /**
   * A recursive part accepts any JSON, and so do the innermost parts of a schema that is too large. `place`
   * is a JSON pointer for errors. @throws {DocumentError}
   */
  read(schema: Json | undefined, purpose: Purpose, location: string): JsonObject {
    const reference = isObject(schema) && Object.keys(schema).length === 1 ? schema['$ref'] : undefined;
    if (typeof reference !== 'string') return this.#readWithinSize(schema, purpose, location);
    const key = `${purpose} ${reference}`;
    let found = this.#read.get(key);
    if (found === undefined) this.#read.set(key, (found = this.#readWithinSize(schema, purpose, location)));
    return found;
  }

  #readWithinSize(schema: Json | undefined, purpose: Purpose, location: string): JsonObject {
    const maxParts = purpose === 'request' ? MAX_REQUEST_PARTS : MAX_RESPONSE_PARTS;
    for (const maxDepth of DEPTHS) {
      try {
        const found = this.#convert(
          schema,
          { purpose, place: location, maxDepth, maxParts, parts: 0 },
          [],
          0,
        );
        if (maxDepth !== DEPTHS[0] && purpose === 'request')
          this.#warn(`${location} is large: parts below level ${maxDepth} are entered as JSON`);
        return found;
      } catch (error) {
        if (!(error instanceof TooLargeError)) throw error;
      }
    }
    return {};
  }

  /** `stack`: the references that lead to the schema. */
  #convert(given: Json | undefined, reading: Reading, stack: readonly string[], depth: number): JsonObject {
    reading.parts++;
    if (reading.parts > reading.maxParts) throw new TooLargeError();
    if (!isObject(given)) return {};
    const { purpose } = reading;
    const { $ref, ...rest } = given;
    if (typeof $ref === 'string') return this.#follow($ref, rest, reading, stack, depth);
    // A file is a reference or a string, so no type applies.
    if (depth > reading.maxDepth || isBinary(given)) return this.#notes(given, purpose);
    const below = (part: Json | undefined): JsonObject => this.#convert(part, reading, stack, depth + 1);
    const types = readTypes(given);
    let made: JsonObject = types.includes('object') ? this.#readObject(given, purpose, below) : {};
    const { items, prefixItems } = given;
    if (types.includes('array') && items !== undefined && !Array.isArray(prefixItems))
      made['items'] = below(items);
    if (purpose === 'request') Object.assign(made, readConstraints(given, types));
    if (types.length > 0) made['type'] = types.length === 1 ? (types[0] ?? 'object') : [...types];
    for (const part of toList(given['allOf']))
      made = mergeSchemas(made, this.#convert(part, reading, stack, depth));
    for (const keyword of ['anyOf', 'oneOf']) made = readBranches(made, toList(given[keyword]).map(below));
    return { ...completeRequired(made), ...this.#notes(given, purpose) };
  }

  #readObject(
    schema: JsonObject,
    purpose: Purpose,
    below: (part: Json | undefined) => JsonObject,
  ): JsonObject {
    const { properties, additionalProperties, required } = schema;
    const made: JsonObject = {};
    const hidden = new Set<Json>();
    if (isObject(properties)) {
      const read: [string, JsonObject][] = [];
      for (const [name, part] of Object.entries(properties)) {
        if (isHidden(part, purpose)) hidden.add(name);
        else read.push([name, below(part)]);
      }
      made['properties'] = Object.fromEntries(read);
    }
    const names = new Set(toList(required).filter((name) => typeof name === 'string' && !hidden.has(name)));
    if (names.size > 0 && purpose === 'request') made['required'] = [...names];
    if (isObject(additionalProperties)) made['additionalProperties'] = below(additionalProperties);
    else if (additionalProperties === false && isObject(properties)) made['additionalProperties'] = false;
    return made;
  }

  #follow(
    reference: string,
    siblings: JsonObject,
    reading: Reading,
    stack: readonly string[],
    depth: number,
  ): JsonObject {
    if (stack.includes(reference)) return this.#notes(siblings, reading.purpose);
    try {
      const target = this.#references.target(reference, reading.place);
      const schema = isObject(target) ? { ...target, ...siblings } : target;
      return this.#convert(schema, reading, [...stack, reference], depth);
    } catch (error) {
      if (error instanceof ExternalReferenceError || !(error instanceof DocumentError)) throw error;
      this.#warn(error.message);
      return this.#notes(siblings, reading.purpose);
    }
  }

  #notes(schema: JsonObject, purpose: Purpose): JsonObject {
    if (purpose === 'response') return {};
    const notes: JsonObject = {};
    const texts = [schema['description'], describePattern(schema), describeFormat(schema)]
      .filter((text): text is string => typeof text === 'string' && text.trim() !== '')
      .map((text) => text.trim());
    if (texts.length > 0) notes['description'] = truncateText(texts.join(' '), MAX_DESCRIPTION_LENGTH);
    if (schema['default'] !== undefined && isShort(schema['default'])) notes['default'] = schema['default'];
    const examples = [schema['example'], ...toList(schema['examples'])].filter(
      (one) => one !== undefined && one !== null && isShort(one),
    );
    if (examples.length > 0) notes['examples'] = examples.slice(0, 3) as Json[];
    if (schema['deprecated'] === true) notes['deprecated'] = true;
    if (isBinary(schema)) notes['contentMediaType'] = 'application/octet-stream';
    return notes;
  }
}

/** Adds the required fields that the document does not describe. */
function completeRequired(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  const known = isObject(properties) ? properties : {};
  const missing = toList(required).filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(known, name),
  );
  if (missing.length === 0) return schema;
  return {
    ...schema,
    properties: { ...known, ...Object.fromEntries(missing.map((name): [string, Json] => [name, {}])) },
  };
}

/** The service sets read-only fields, and never returns write-only ones. */
function isHidden(part: Json, purpose: Purpose): boolean {
  return isObject(part) && part[purpose === 'request' ? 'readOnly' : 'writeOnly'] === true;
}

/** A file, written in OpenAPI 3.0 or in 3.1. */
function isBinary({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (type !== undefined && type !== 'string') return false;
  return format === 'binary' || (typeof contentMediaType === 'string' && contentEncoding === undefined);
}

function toList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function isShort(value: Json): boolean {
  return JSON.stringify(value).length <= MAX_EXAMPLE_LENGTH;
}

/**
 * Patterns are only described. The service would have to run regular expressions that others wrote, and many
 * of them are in another dialect.
 */
function describePattern({ pattern }: JsonObject): string | null {
  return typeof pattern === 'string' && pattern.length <= 100 ? `Pattern: ${pattern}` : null;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'A date such as 2026-01-31.',
  'date-time': 'A time such as 2026-01-31T12:00:00Z.',
  byte: 'Encoded in Base64.',
};

function describeFormat({ format }: JsonObject): string | null {
  return typeof format === 'string' && Object.hasOwn(FORMATS, format) ? (FORMATS[format] ?? null) : null;
}
