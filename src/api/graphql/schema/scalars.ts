import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isInexactInteger } from '../../../lib/json/parse-json.ts';

/** User data: passes as it is, in both directions. */
export const JsonScalar = new GraphQLScalarType<Json, unknown>({
  name: 'JSON',
  description: 'Any JSON value: an object, a list, a text, a number, true, false or null.',
  serialize: (value) => value,
  parseValue: (value) => value as Json,
  parseLiteral: (node, variables) => readLiteral(node, variables ?? {}),
});

export const DateTimeScalar = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description: 'A moment: ISO 8601 in UTC with milliseconds, such as `2026-01-31T09:30:00.000Z`.',
  serialize(value) {
    if (typeof value !== 'string') throw new GraphQLError('DateTime is a text.');
    return value;
  },
  // What a text means, and whether it is one at all, is told by the service: on every door in the same words.
  parseValue(value) {
    if (typeof value !== 'string') throw new GraphQLError('DateTime takes a text in ISO 8601.');
    return value;
  },
});

/** A JSON value written in a document. Its nesting is bounded before anything is parsed, so this may recurse. */
function readLiteral(node: ValueNode, variables: Readonly<Record<string, unknown>>): Json {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.BOOLEAN:
    case Kind.STRING:
    case Kind.ENUM:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT: {
      if (isInexactInteger(node.value)) return node.value;
      const number = Number(node.value);
      if (!Number.isFinite(number)) throw new GraphQLError(`${node.value} is too large for a number.`);
      return number;
    }
    case Kind.LIST:
      return node.values.map((each) => readLiteral(each, variables));
    case Kind.OBJECT: {
      const object: JsonObject = {};
      for (const field of node.fields) {
        const name = field.name.value;
        if (name === '__proto__') throw new GraphQLError('__proto__ is not allowed as a name.');
        object[name] = readLiteral(field.value, variables);
      }
      return object;
    }
    case Kind.VARIABLE:
      return (variables[node.name.value] ?? null) as Json;
    default:
      throw new GraphQLError('This is no JSON value.');
  }
}
