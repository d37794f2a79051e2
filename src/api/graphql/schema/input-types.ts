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
import { camelCase } from './casing.ts';
import { describe, shapeOf, withoutNull, type Shape } from './resource-shape.ts';
import { JsonScalar } from './scalars.ts';

/** Makes what came by GraphQL into the input that the services take: the contract's names, nothing else changed. */
export type Read = (value: unknown) => unknown;
export type InputShape<T> = { readonly type: T; readonly read: Read };

/** The types of objects within inputs, by the name of their field. */
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
   * An input type of the contract's schema. Only `required` fields must be given: what else is missing or wrong is told by the
   * service, as on every door. `leaveOut` are fields that mean nothing here, `extra` such as the contract does not have.
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
  /** The fields of a schema as arguments, all optional. */
  args(schema: TSchema): { args: Record<string, GraphQLArgumentConfig>; read: Read };
};

type Extensions = { contractName?: string };

/** The contract's name of an input field or argument. */
export function contractNameOf(field: {
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
      const { type, read } = typeOf(property, key);
      const isRequired = required.includes(key) && !(type instanceof GraphQLNonNull);
      fields[camelCase(key)] = {
        type: isRequired ? new GraphQLNonNull(type) : type,
        description: describe(property),
        extensions: { contractName: key },
      };
      readers.set(camelCase(key), { key, read });
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

  function typeOf(given: Shape, key: string): { type: GraphQLInputType; read: Read | null } {
    const { shape } = withoutNull(given);
    if (shape.properties !== undefined) {
      const name = nestedNames[key] ?? shape.title?.replace(/(?:Input)?$/, 'Input');
      if (name === undefined) throw new Error(`The input field ${key} has no name for its type.`);
      const known = nested.get(name);
      if (known !== undefined) return known;
      const made = object(name, shape);
      nested.set(name, made);
      return made;
    }
    if (shape.items !== undefined) {
      const { type, read } = typeOf(shape.items, key);
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
    object: (name, schema, options) => object(name, shapeOf(schema), options),
    args(schema) {
      const args: Record<string, GraphQLArgumentConfig> = {};
      const readers = new Map<string, { key: string; read: Read | null }>();
      for (const [key, property] of Object.entries(shapeOf(schema).properties ?? {})) {
        const { type, read } = typeOf(property, key);
        args[camelCase(key)] = {
          type,
          description: describe(property),
          extensions: { contractName: key },
        };
        readers.set(camelCase(key), { key, read });
      }
      return { args, read: (value) => readFields(value, readers) };
    },
  };
}

/** Names that are not among `readers` are left out: a field's other arguments are read by the field itself. */
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
