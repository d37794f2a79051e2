import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isInexactInteger } from '../../../lib/json/parse-json.ts';

/** User data, passed unchanged in both directions. */
export const JsonScalar = new GraphQLScalarType<Json, unknown>({
  name: 'JSON',
  description: 'Any JSON value: an object, a list, a string, a number, true, false or null.',
  serialize: (value) => value,
  parseValue: (value) => value as Json,
  parseLiteral: (node, variables) => readLiteral(node, variables ?? {}),
});

export const DateTimeScalar = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description: 'A timestamp in ISO 8601, UTC with milliseconds, such as `2026-01-31T09:30:00.000Z`.',
  serialize(value) {
    if (typeof value !== 'string') throw new GraphQLError('DateTime must be a string.');
    return value;
  },
  // The service validates the text, so that every API returns the same messages.
  parseValue(value) {
    if (typeof value !== 'string') throw new GraphQLError('DateTime must be a string in ISO 8601.');
    return value;
  },
});

/** A JSON literal in a document. The document limits bound its nesting, so the recursion is safe. */
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
        if (name === '__proto__') throw new GraphQLError('__proto__ is not allowed as a key.');
        object[name] = readLiteral(field.value, variables);
      }
      return object;
    }
    case Kind.VARIABLE:
      return (variables[node.name.value] ?? null) as Json;
    default:
      throw new GraphQLError('The value must be valid JSON.');
  }
}
