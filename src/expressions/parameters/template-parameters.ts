import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { compileText, listNames, ROOT, type ParameterSlot, type ParameterUse } from './compile-parameters.ts';
import { ParametersTooLargeError, TemplateError } from '../errors.ts';
import { Frame } from '../evaluation-context.ts';
import { fillHole, measureJson, OMITTED } from './fill-parameters.ts';

/*
 * Parameters are put into a body once, before it is anything that runs: `{{ parameters.NAME }}`. Every other
 * placeholder belongs to the workflow, and stays as it is for the time when that runs. So a body is read in
 * one pass, and what a parameter brings in can never become a placeholder: neither alone, nor with the
 * text around it, nor with what another parameter brings.
 */

/** The error of a text that cannot be parsed. */
export type ParameterTextError = { readonly pointer: string; readonly message: string };

export type ParameterBody = {
  readonly errors: readonly ParameterTextError[];
  /** All fields that contain parameters. */
  readonly uses: readonly ParameterUse[];
  /** Parameters whose values name a secret (`secrets[parameters.NAME]`), with their fields. */
  readonly secretUses: readonly { readonly name: string; readonly pointer: string }[];
  /**
   * The body with the values in it. A placeholder alone takes the value with its type; without a value its
   * field is left out (null in a list), and inside text it prints as nothing. `limit` bounds what the values
   * add, in characters of JSON.
   * @throws {ParameterError} {ParametersTooLarge}
   */
  fill(values: JsonObject, options: { now: number; limit: number }): Json;
};

/** Compiles a body; `root` prefixes every pointer. Never throws: errors are in `errors`. */
export function compileParameters(body: Json, root: string): ParameterBody {
  const errors: ParameterTextError[] = [];
  const holes = new Map<string, ParameterSlot>();
  mapTexts(body, root, (text, pointer) => {
    try {
      const parts = compileText(text);
      if (parts !== null)
        holes.set(pointer, { pointer, parts, names: [...new Set(parts.flatMap(listNames))] });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      errors.push({ pointer, message: error.message });
    }
    return text;
  });
  const uses = [...holes.values()];
  return {
    errors,
    uses,
    secretUses: uses.flatMap(({ pointer, parts }) =>
      parts.flatMap((part) =>
        part.kind === 'kept'
          ? part.inserts.flatMap(({ name, expression }) => (expression === null ? [{ name, pointer }] : []))
          : [],
      ),
    ),
    fill(values, { now, limit }) {
      // One frame, so that the limit on steps applies to all expressions together.
      const frame = new Frame({ input: { [ROOT]: values }, now });
      let left = limit;
      return mapTexts(body, root, (text, pointer) => {
        const hole = holes.get(pointer);
        if (hole === undefined) return text;
        const value = fillHole(hole, values, frame);
        if (value === OMITTED) return OMITTED;
        left -= measureJson(value, left);
        if (left < 0) throw new ParametersTooLargeError();
        return value;
      });
    },
  };
}

type Container = Json[] | JsonObject;

/** A copy of the body with each text changed; walked by a worklist, so depth costs no stack. Keys stay. */
function mapTexts(
  body: Json,
  root: string,
  change: (text: string, pointer: string) => Json | typeof OMITTED,
): Json {
  const top: JsonObject = {};
  const work: { source: Container; copy: Container; pointer: string }[] = [];
  const enter = (copy: Container, key: string | number, value: Json, pointer: string): void => {
    if (typeof value === 'string') {
      const changed = change(value, pointer);
      if (changed !== OMITTED) put(copy, key, changed);
      else if (Array.isArray(copy)) put(copy, key, null);
    } else if (typeof value === 'object' && value !== null) {
      const inner: Container = Array.isArray(value) ? [] : {};
      put(copy, key, inner);
      work.push({ source: value, copy: inner, pointer });
    } else put(copy, key, value);
  };
  enter(top, 'body', body, root);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { source, copy, pointer } = next;
    const entries: Iterable<[string | number, Json]> = Array.isArray(source)
      ? source.entries()
      : Object.entries(source);
    for (const [key, value] of entries) enter(copy, key, value, appendKey(pointer, key));
  }
  return top['body'] ?? null;
}

/** Sets an own property for any key, including `__proto__`. */
function put(container: Container, key: string | number, value: Json): void {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}
