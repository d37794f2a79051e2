import { Type } from 'typebox';
import type { Static, TObject, TSchema } from 'typebox';

/** A JSON Schema keyword set that TypeBox passes through: title, description, default, examples and bounds. */
type Notes = Record<string, unknown>;

/** A duration with a unit (`500ms`, `5s`, `2m`, `1h`, `1d`), at most 366 days. */
export function duration(notes: Notes = {}) {
  return Type.String({ format: 'weft-duration', ...notes });
}

/** A path into what arrived at the node (`customer.name`, `items[0]`, `a["odd name"]`), without braces. */
export function inputPath(notes: Notes = {}) {
  return Type.String({ format: 'weft-path', ...notes });
}

/** The id of a node of the same workflow. */
export function nodeId(notes: Notes = {}) {
  return Type.String({ format: 'weft-node', minLength: 1, maxLength: 200, ...notes });
}

/** The id of a workflow of the same owner. */
export function workflowId(notes: Notes = {}) {
  return Type.String({ format: 'weft-workflow', minLength: 1, maxLength: 200, ...notes });
}

/** The workflow that a field of a configuration names; none where it holds a template. */
export function namedWorkflow(field: string, id: unknown): { field: string; name: string }[] {
  return typeof id === 'string' && !id.includes('{{') ? [{ field, name: id }] : [];
}

/** The name of a stored secret, bare or as `{{ secrets.NAME }}`. */
export function secretName(notes: Notes = {}) {
  return Type.String({ format: 'weft-secret', ...notes });
}

/** The name of a connection, which is an account at another service. */
export function connectionName(notes: Notes = {}) {
  return Type.String({ format: 'weft-connection', minLength: 1, maxLength: 64, ...notes });
}

/** One of these texts. */
export function oneOfTexts<const T extends readonly string[]>(texts: T, notes: Notes = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...texts], ...notes });
}

/** A text, number or boolean: what can be printed into a header, a query or a form. */
export function scalar(notes: Notes = {}) {
  return Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], ...notes });
}

/** An object with any names whose values fit `value`. */
export function mapOf<V extends TSchema>(value: V, notes: Notes = {}) {
  return Type.Unsafe<Record<string, Static<V>>>({ type: 'object', additionalProperties: value, ...notes });
}

/**
 * Variants of a closed object that one field tells apart, so that a fault is reported for the variant that was meant
 * and not for all of them.
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
