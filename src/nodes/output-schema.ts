import type { TSchema } from 'typebox';

/** The keyword of a configuration schema, or of one of its variants, for the output of the node. */
export const OUTPUT_KEYWORD = 'x-output';

/**
 * The keyword of a subschema whose value is taken from elsewhere: `input`, or a JSON Schema in a field of the
 * configuration.
 */
const FROM_KEYWORD = 'x-from';

/**
 * Describes the value of the first output port, so that editors can complete its fields before the first run.
 * It is a note of the schema of the configuration, and never checked: `closed({…}, output(Type.Object({ rows:
 * … })))`.
 */
export function output(schema: TSchema | OutputReference): {
  readonly [OUTPUT_KEYWORD]: TSchema | OutputReference;
} {
  return { [OUTPUT_KEYWORD]: schema };
}

export type OutputReference = { readonly [FROM_KEYWORD]: 'input' | `config.${string}` };

/** The value equals the input of the node. */
export const sameAsInput: OutputReference = Object.freeze({ [FROM_KEYWORD]: 'input' });

/** The value fits the JSON Schema in a field of the configuration. */
export function schemaOfField(field: string): OutputReference {
  return { [FROM_KEYWORD]: `config.${field}` };
}
