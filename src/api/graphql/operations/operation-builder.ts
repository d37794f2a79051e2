import { GraphQLID, GraphQLNonNull, type GraphQLArgumentConfig, type GraphQLOutputType } from 'graphql';
import type { TSchema } from 'typebox';
import type { InputTypes } from '../schema/input-types.ts';
import type { ObjectTypes } from '../schema/object-types.ts';
import type { Args } from './operation.ts';

/** Creates the types of operations. */
export type OperationBuilder = {
  readonly objects: ObjectTypes;
  readonly inputs: InputTypes;
};

export const createIdArg = (description: string): GraphQLArgumentConfig => ({
  type: new GraphQLNonNull(GraphQLID),
  description,
});

/** The non-null output type of a resource, and the function that converts a resource to it. */
export function createOutputType(
  { objects }: OperationBuilder,
  resource: TSchema,
): {
  type: GraphQLOutputType;
  show: (value: object) => object;
} {
  const { type, show } = objects.of(resource);
  return { type: new GraphQLNonNull(type), show: (value) => show(value as never) as object };
}

/**
 * An argument with an input object of the contract's schema, and the function that reads it. Null or a
 * missing value is read as an empty object, for which the service reports what is missing.
 */
export function createInputArg(
  { inputs }: OperationBuilder,
  arg: 'input' | 'filter',
  name: string,
  schema: TSchema,
  options: Parameters<InputTypes['object']>[2] & { optional?: boolean } = {},
): { args: Record<string, GraphQLArgumentConfig>; read(args: Args): Readonly<Record<string, unknown>> } {
  const { type, read } = inputs.object(name, schema, options);
  const given = options.optional === true || arg === 'filter' ? type : new GraphQLNonNull(type);
  return {
    args: { [arg]: { type: given } },
    read(args) {
      const value = args[arg];
      if (value === null || value === undefined) return {};
      const fields = read(value) as Record<string, unknown>;
      return arg === 'filter' ? withoutNulls(fields) : fields;
    },
  };
}

/** The fields of a query schema as arguments. */
export function createQueryArgs(
  { inputs }: OperationBuilder,
  schema: TSchema,
): { args: Record<string, GraphQLArgumentConfig>; read(args: Args): Readonly<Record<string, unknown>> } {
  const { args, read } = inputs.args(schema);
  return { args, read: (given) => withoutNulls(read(given) as Record<string, unknown>) };
}

// In a filter, null is the same as a missing value.
function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
