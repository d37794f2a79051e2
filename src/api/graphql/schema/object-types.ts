import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLNullableOutputType,
  type GraphQLOutputType,
} from 'graphql';
import type { TSchema } from 'typebox';
import { toCamelCase } from './casing.ts';
import type { RequestContext } from '../request-context.ts';
import { describe, toShape, withoutNull, type Shape } from './resource-shape.ts';
import { DateTimeScalar, JsonScalar } from './scalars.ts';

export type Field = GraphQLFieldConfig<never, RequestContext>;
export type Fields = Readonly<Record<string, Field>>;

/** Converts a resource of the contract to the object that GraphQL reads, with names in camelCase. */
export type SerializeValue = (value: never) => unknown;

/** An object type, and the function that converts a resource to it. */
export type ObjectShape = {
  readonly type: GraphQLObjectType<unknown, RequestContext>;
  readonly show: SerializeValue;
};

/**
 * Resources that are detailed and short forms of one type here. Fields missing in the short form are loaded
 * when selected.
 */
const sharedTypeNames: Readonly<Record<string, string>> = {
  WorkflowSummary: 'Workflow',
  ExecutionSummary: 'Execution',
  ExecutionDetail: 'Execution',
  NodeDetail: 'Node',
  NodeErrorSummary: 'NodeError',
};

/** Fields with a number of bytes. */
const sizeFields: ReadonlySet<string> = new Set(['memory_used', 'size']);

/** The contract's `WorkflowList` is a `WorkflowPage` here. */
function createTypeName(title: string): string {
  return sharedTypeNames[title] ?? title.replace(/List$/, 'Page');
}

export type ObjectTypes = {
  /** The type of a resource. Resources with the same name share it. */
  of(resource: TSchema): ObjectShape;
};

/**
 * Creates object types from the contract's resources. `extras` are additional fields, or fields loaded in
 * another way, by type name; they are read when the schema is complete.
 */
export function createObjectTypes(extras: () => Readonly<Record<string, Fields>>): ObjectTypes {
  const made = new Map<string, ObjectShape>();

  function createObject(shape: Shape): ObjectShape {
    if (shape.title === undefined) throw new Error('A resource must have a name to have a type in GraphQL.');
    const name = createTypeName(shape.title);
    const known = made.get(name);
    if (known !== undefined) return known;
    let properties: readonly Property[] | null = null;
    const own = (): readonly Property[] => (properties ??= createProperties(shape));
    const type = new GraphQLObjectType<unknown, RequestContext>({
      name,
      description: shape.description,
      fields: () =>
        ({ ...createFields(own()), ...extras()[name] }) as GraphQLFieldConfigMap<unknown, RequestContext>,
    });
    let steps: readonly Property[] | null | undefined;
    const show = (value: Readonly<Record<string, unknown>>): unknown => {
      // Resources whose names are the same in GraphQL are passed unchanged.
      steps ??= own().some((each) => each.show !== null || each.name !== each.key) ? own() : null;
      return steps === null ? value : renameFields(value, steps);
    };
    const shown = { type, show: show as SerializeValue };
    made.set(name, shown);
    return shown;
  }

  function createProperties(shape: Shape): Property[] {
    const properties = Object.entries(shape.properties ?? {}).map(([key, property]): Property => {
      const isOptional = shape.required?.includes(key) !== true;
      const { type, show } = createType(property, key);
      return {
        key,
        name: toCamelCase(key),
        type: isOptional && type instanceof GraphQLNonNull ? type.ofType : type,
        description: describe(property),
        show,
      };
    });
    // The additional properties are not known, so they are returned in one JSON field with the contract's
    // names.
    if (shape.additionalProperties === true) properties.push(everything);
    return properties;
  }

  function createType(given: Shape, key: string): { type: GraphQLOutputType; show: SerializeValue | null } {
    const { shape, isNullable } = withoutNull(given);
    const { type, show, mayBeNull } = createNullableType(shape, key);
    return { type: isNullable || mayBeNull ? type : new GraphQLNonNull(type), show };
  }

  function createNullableType(
    shape: Shape,
    key: string,
  ): { type: GraphQLNullableOutputType; show: SerializeValue | null; mayBeNull: boolean } {
    const plain = (type: GraphQLNullableOutputType) => ({ type, show: null, mayBeNull: false });
    if (shape.properties !== undefined) {
      const { type, show } = createObject(shape);
      return { type, show, mayBeNull: false };
    }
    if (shape.items !== undefined) {
      const { type, show } = createType(shape.items, key);
      const list = show as ((value: unknown) => unknown) | null;
      return {
        type: new GraphQLList(type),
        show: list === null ? null : (values: readonly unknown[]) => values.map((each) => list(each)),
        mayBeNull: false,
      };
    }
    if (shape.type === 'object') return plain(JsonScalar);
    if (shape.type === 'boolean') return plain(GraphQLBoolean);
    if (shape.type === 'integer') {
      // Timestamps and sizes can exceed the 32 bits of an Int.
      const isWide = shape['x-unit'] !== undefined || sizeFields.has(key);
      return plain(isWide ? GraphQLFloat : GraphQLInt);
    }
    if (shape.type === 'number') return plain(GraphQLFloat);
    if (shape.type === 'string' || shape.enum !== undefined) {
      if (shape.format === 'date-time') return plain(DateTimeScalar);
      return plain(key === 'id' || key === 'retry_of' || key.endsWith('_id') ? GraphQLID : GraphQLString);
    }
    return { type: JsonScalar, show: null, mayBeNull: true };
  }

  return { of: (resource) => createObject(toShape(resource)) };
}

type Property = {
  readonly key: string;
  readonly name: string;
  readonly type: GraphQLOutputType;
  readonly description: string | undefined;
  readonly show: SerializeValue | null;
};

/** The key of the property that holds the whole resource. */
const WHOLE_RESOURCE = '';
const everything: Property = {
  key: WHOLE_RESOURCE,
  name: 'details',
  type: new GraphQLNonNull(JsonScalar),
  description: 'The whole resource, as in REST.',
  show: null,
};

function createFields(properties: readonly Property[]): Record<string, Field> {
  return Object.fromEntries(properties.map(({ name, type, description }) => [name, { type, description }]));
}

function renameFields(value: Readonly<Record<string, unknown>>, steps: readonly Property[]): object {
  const shown: Record<string, unknown> = {};
  for (const { key, name, show } of steps) {
    const inner = key === WHOLE_RESOURCE ? value : value[key];
    shown[name] = show === null || inner === null || inner === undefined ? inner : show(inner as never);
  }
  return shown;
}
