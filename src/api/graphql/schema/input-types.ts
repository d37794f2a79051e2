import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLArgumentConfig,
  type GraphQLInputFieldConfig,
  type GraphQLInputType,
} from 'graphql';
import type { TSchema } from 'typebox';
import { toCamelCase } from './casing.ts';
import { describe, toShape, withoutNull, type Shape } from './resource-shape.ts';
import { JsonScalar } from './scalars.ts';

/** Converts a GraphQL input to the input of a service, with the contract's names. */
export type Read = (value: unknown) => unknown;
export type InputShape<T> = { readonly type: T; readonly read: Read };

/** The type names of nested input objects, by field name. */
const nestedNames: Readonly<Record<string, string>> = {
  definition: 'DefinitionInput',
  nodes: 'NodeEntryInput',
  connections: 'ConnectionInput',
  position: 'PositionInput',
  settings: 'WorkflowSettingsInput',
  implementation: 'NodeImplementationInput',
};

export type InputTypes = {
  /**
   * An input type of the contract's schema. Only `required` fields are non-null: the service reports
   * everything else that is missing or invalid, as for every API. `leaveOut` omits fields that do not apply
   * here; `extra` adds others.
   */
  object(
    name: string,
    schema: TSchema,
    options?: {
      required?: readonly string[];
      leaveOut?: readonly string[];
      extra?: Readonly<Record<string, GraphQLInputFieldConfig>>;
    },
  ): InputShape<GraphQLInputObjectType>;
  /** The fields of a schema as optional arguments. */
  args(schema: TSchema): { args: Record<string, GraphQLArgumentConfig>; read: Read };
};

type Extensions = { contractName?: string };

/** The contract name of an input field or argument. */
export function readContractName(field: {
  name: string;
  extensions: Readonly<Record<PropertyKey, unknown>>;
}): string {
  return (field.extensions as Extensions).contractName ?? field.name;
}

export function createInputTypes(): InputTypes {
  const nested = new Map<string, InputShape<GraphQLInputObjectType>>();

  function object(
    name: string,
    shape: Shape,
    { required = [], leaveOut = [], extra = {} }: NonNullable<Parameters<InputTypes['object']>[2]> = {},
  ): InputShape<GraphQLInputObjectType> {
    const fields: Record<string, GraphQLInputFieldConfig> = {};
    const readers = new Map<string, { key: string; read: Read | null }>();
    for (const [key, property] of Object.entries(shape.properties ?? {})) {
      if (leaveOut.includes(key)) continue;
      const { type, read } = createType(property, key);
      const isRequired = required.includes(key) && !(type instanceof GraphQLNonNull);
      fields[toCamelCase(key)] = {
        type: isRequired ? new GraphQLNonNull(type) : type,
        description: describe(property),
        extensions: { contractName: key },
      };
      readers.set(toCamelCase(key), { key, read });
    }
    return {
      type: new GraphQLInputObjectType({
        name,
        description: shape.description,
        fields: { ...fields, ...extra },
      }),
      read: (value) => readFields(value, readers),
    };
  }

  function createType(given: Shape, key: string): { type: GraphQLInputType; read: Read | null } {
    const { shape } = withoutNull(given);
    if (shape.properties !== undefined) {
      const name = nestedNames[key] ?? shape.title?.replace(/(?:Input)?$/, 'Input');
      if (name === undefined) throw new Error(`The input field ${key} must have a name for its type.`);
      const known = nested.get(name);
      if (known !== undefined) return known;
      const made = object(name, shape);
      nested.set(name, made);
      return made;
    }
    if (shape.items !== undefined) {
      const { type, read } = createType(shape.items, key);
      return {
        type: new GraphQLList(type),
        read:
          read === null ? null : (value) => (Array.isArray(value) ? value.map((each) => read(each)) : value),
      };
    }
    if (shape.type === 'object') return { type: JsonScalar, read: null };
    if (shape.type === 'boolean') return { type: GraphQLBoolean, read: null };
    if (shape.type === 'integer') return { type: GraphQLInt, read: null };
    if (shape.type === 'number') return { type: GraphQLFloat, read: null };
    if (shape.type === 'string' || shape.enum !== undefined)
      return { type: key === 'id' || key.endsWith('_id') ? GraphQLID : GraphQLString, read: null };
    return { type: JsonScalar, read: null };
  }

  return {
    object: (name, schema, options) => object(name, toShape(schema), options),
    args(schema) {
      const args: Record<string, GraphQLArgumentConfig> = {};
      const readers = new Map<string, { key: string; read: Read | null }>();
      for (const [key, property] of Object.entries(toShape(schema).properties ?? {})) {
        const { type, read } = createType(property, key);
        args[toCamelCase(key)] = {
          type,
          description: describe(property),
          extensions: { contractName: key },
        };
        readers.set(toCamelCase(key), { key, read });
      }
      return { args, read: (value) => readFields(value, readers) };
    },
  };
}

/** Reads the fields that have a reader; a field reads its own arguments. */
function readFields(
  value: unknown,
  readers: ReadonlyMap<string, { key: string; read: Read | null }>,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const known = readers.get(name);
    if (known === undefined) continue;
    result[known.key] = known.read === null ? inner : known.read(inner);
  }
  return result;
}
