import { Type } from 'typebox';
import type { Static, TObject, TSchema } from 'typebox';

/** JSON Schema keywords that TypeBox passes through: title, description, default, examples and limits. */
type Notes = Record<string, unknown>;

/** A duration with a unit (`500ms`, `5s`, `2m`, `1h`, `1d`), at most 366 days. */
export function duration(notes: Notes = {}) {
  return Type.String({ format: 'weft-duration', ...notes });
}

/** A path in the input of the node (`customer.name`, `items[0]`, `a["odd name"]`), without braces. */
export function inputPath(notes: Notes = {}) {
  return Type.String({ format: 'weft-path', ...notes });
}

/** The id of a node in the same workflow. */
export function nodeId(notes: Notes = {}) {
  return Type.String({ format: 'weft-node', minLength: 1, maxLength: 200, ...notes });
}

/** The id of a workflow of the same owner. */
export function workflowId(notes: Notes = {}) {
  return Type.String({ format: 'weft-workflow', minLength: 1, maxLength: 200, ...notes });
}

/** Returns the workflow that a field names; empty if the field contains a template. */
export function listNamedWorkflow(field: string, id: unknown): { field: string; name: string }[] {
  return typeof id === 'string' && !id.includes('{{') ? [{ field, name: id }] : [];
}

/** The name of a stored secret, bare or as `{{ secrets.NAME }}`. */
export function secretName(notes: Notes = {}) {
  return Type.String({ format: 'weft-secret', ...notes });
}

/** The name of a connection: an account at another service. */
export function connectionName(notes: Notes = {}) {
  return Type.String({ format: 'weft-connection', minLength: 1, maxLength: 64, ...notes });
}

/** One of the given strings. */
export function oneOfTexts<const T extends readonly string[]>(texts: T, notes: Notes = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...texts], ...notes });
}

/** A string, number or boolean: a value that can be printed into a header, query or form. */
export function scalar(notes: Notes = {}) {
  return Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], ...notes });
}

/** An object with arbitrary keys whose values match `value`. */
export function mapOf<V extends TSchema>(value: V, notes: Notes = {}) {
  return Type.Unsafe<Record<string, Static<V>>>({ type: 'object', additionalProperties: value, ...notes });
}

/**
 * Variants of a closed object with a discriminator field, so that errors are reported only for the selected
 * variant.
 */
export function tagged<V extends readonly TObject[]>(tag: string, variants: V, notes: Notes = {}) {
  return Type.Unsafe<Static<V[number]>>({
    type: 'object',
    discriminator: { propertyName: tag },
    oneOf: variants.map((variant) => ({ ...variant, additionalProperties: false })),
    ...notes,
  });
}

/** A closed object. */
export function closed<P extends Record<string, TSchema>>(properties: P, notes: Notes = {}) {
  return Type.Object(properties, { additionalProperties: false, ...notes });
}
