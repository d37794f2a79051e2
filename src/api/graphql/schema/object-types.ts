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
import { camelCase } from './casing.ts';
import type { RequestContext } from '../request-context.ts';
import { describe, shapeOf, withoutNull, type Shape } from './resource-shape.ts';
import { DateTimeScalar, JsonScalar } from './scalars.ts';

export type Field = GraphQLFieldConfig<never, RequestContext>;
export type Fields = Readonly<Record<string, Field>>;

/** Makes an answer as the contract has it into the object that GraphQL reads: the same with names in camelCase. */
export type Show = (value: never) => unknown;

/** An object type, and how an answer of its resource is shown as one. */
export type ObjectShape = { readonly type: GraphQLObjectType<unknown, RequestContext>; readonly show: Show };

/**
 * Resources that are the same thing in more or less detail are one type here; what the short form leaves out is loaded when it
 * is selected.
 */
const oneTypeFor: Readonly<Record<string, string>> = {
  WorkflowSummary: 'Workflow',
  ExecutionSummary: 'Execution',
  ExecutionDetail: 'Execution',
  NodeDetail: 'Node',
  NodeErrorSummary: 'NodeError',
};

/** Fields in bytes. */
const sizes: ReadonlySet<string> = new Set(['memory_used', 'size']);

/** `WorkflowList` of the contract has a page of a list: `WorkflowPage`. */
function typeNameOf(title: string): string {
  return oneTypeFor[title] ?? title.replace(/List$/, 'Page');
}

export type ObjectTypes = {
  /** The type of a resource; the same for every resource that bears the same name. */
  of(resource: TSchema): ObjectShape;
};

/**
 * Object types from the contract's resources. `extras` are fields by type name that the resource does not have, or that are
 * loaded in another way; they are asked for when the schema is complete.
 */
export function createObjectTypes(extras: () => Readonly<Record<string, Fields>>): ObjectTypes {
  const made = new Map<string, ObjectShape>();

  function objectOf(shape: Shape): ObjectShape {
    if (shape.title === undefined) throw new Error('A resource without a name has no type in GraphQL.');
    const name = typeNameOf(shape.title);
    const known = made.get(name);
    if (known !== undefined) return known;
    let properties: readonly Property[] | null = null;
    const own = (): readonly Property[] => (properties ??= propertiesOf(shape));
    const type = new GraphQLObjectType<unknown, RequestContext>({
      name,
      description: shape.description,
      fields: () =>
        ({ ...fieldsOf(own()), ...extras()[name] }) as GraphQLFieldConfigMap<unknown, RequestContext>,
    });
    let steps: readonly Property[] | null | undefined;
    const show = (value: Readonly<Record<string, unknown>>): unknown => {
      // Answers whose names are the same in GraphQL pass as they are.
      steps ??= own().some((each) => each.show !== null || each.name !== each.key) ? own() : null;
      return steps === null ? value : renamed(value, steps);
    };
    const shown = { type, show: show as Show };
    made.set(name, shown);
    return shown;
  }

  function propertiesOf(shape: Shape): Property[] {
    const properties = Object.entries(shape.properties ?? {}).map(([key, property]): Property => {
      const isOptional = shape.required?.includes(key) !== true;
      const { type, show } = typeOf(property, key);
      return {
        key,
        name: camelCase(key),
        type: isOptional && type instanceof GraphQLNonNull ? type.ofType : type,
        description: describe(property),
        show,
      };
    });
    // What further fields there are, depends: they come together, with the contract's names.
    if (shape.additionalProperties === true) properties.push(everything);
    return properties;
  }

  function typeOf(given: Shape, key: string): { type: GraphQLOutputType; show: Show | null } {
    const { shape, isNullable } = withoutNull(given);
    const { type, show, mayBeNull } = nullableTypeOf(shape, key);
    return { type: isNullable || mayBeNull ? type : new GraphQLNonNull(type), show };
  }

  function nullableTypeOf(
    shape: Shape,
    key: string,
  ): { type: GraphQLNullableOutputType; show: Show | null; mayBeNull: boolean } {
    const plain = (type: GraphQLNullableOutputType) => ({ type, show: null, mayBeNull: false });
    if (shape.properties !== undefined) {
      const { type, show } = objectOf(shape);
      return { type, show, mayBeNull: false };
    }
    if (shape.items !== undefined) {
      const { type, show } = typeOf(shape.items, key);
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
      // Times and sizes outgrow the 32 bits of an Int.
      const isWide = shape['x-unit'] !== undefined || sizes.has(key);
      return plain(isWide ? GraphQLFloat : GraphQLInt);
    }
    if (shape.type === 'number') return plain(GraphQLFloat);
    if (shape.type === 'string' || shape.enum !== undefined) {
      if (shape.format === 'date-time') return plain(DateTimeScalar);
      return plain(key === 'id' || key === 'retry_of' || key.endsWith('_id') ? GraphQLID : GraphQLString);
    }
    return { type: JsonScalar, show: null, mayBeNull: true };
  }

  return { of: (resource) => objectOf(shapeOf(resource)) };
}

type Property = {
  readonly key: string;
  readonly name: string;
  readonly type: GraphQLOutputType;
  readonly description: string | undefined;
  readonly show: Show | null;
};

/** The key of the property that holds an answer as it is. */
const WHOLE = '';
const everything: Property = {
  key: WHOLE,
  name: 'details',
  type: new GraphQLNonNull(JsonScalar),
  description: 'All of it, as REST shows it.',
  show: null,
};

function fieldsOf(properties: readonly Property[]): Record<string, Field> {
  return Object.fromEntries(properties.map(({ name, type, description }) => [name, { type, description }]));
}

function renamed(value: Readonly<Record<string, unknown>>, steps: readonly Property[]): object {
  const shown: Record<string, unknown> = {};
  for (const { key, name, show } of steps) {
    const inner = key === WHOLE ? value : value[key];
    shown[name] = show === null || inner === null || inner === undefined ? inner : show(inner as never);
  }
  return shown;
}
