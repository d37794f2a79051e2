import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  type GraphQLInputType,
} from 'graphql';
import type { TSchema } from 'typebox';
import type { Route } from '../../src/api/rest/route.ts';
import type { ApiResponse } from '../support/service.ts';

/** What a caller says, in the contract's own names. */
export type CallInput = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly key?: string;
};
/** The response of an API: a value in the contract's names, or an error. */
export type CallResult =
  | { readonly value: unknown }
  | { readonly error: { code: string; message: string; details: unknown } };

export const sdl = buildSchema(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/schema.graphql'), 'utf8'),
);

type Shape = TSchema & {
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
  type?: string;
  additionalProperties?: unknown;
};

const camel = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function inner(schema: Shape): Shape {
  return schema.anyOf === undefined
    ? schema
    : inner(schema.anyOf.find((one) => one.type !== 'null') ?? schema);
}

/** A selection of all fields of the response's schema. */
export function printSelection(schema: TSchema): string {
  const shape = inner(schema as Shape);
  if (shape.type === 'array') return printSelection(shape.items!);
  if (shape.properties === undefined) return '';
  // Open ones have all of theirs in one field, too.
  if (shape.additionalProperties === true) return '{ details }';
  const fields = Object.entries(shape.properties).map(
    ([name, field]) => `${camel(name)} ${printSelection(field)}`,
  );
  return `{ ${fields.join(' ')} }`;
}

/**
 * A GraphQL response in the names of the contract. Values without a schema are user data, and are unchanged.
 */
export function toContractNames(value: unknown, schema: TSchema): unknown {
  const shape = inner(schema as Shape);
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && shape.items !== undefined)
    return value.map((item) => toContractNames(item, shape.items!));
  if (typeof value !== 'object' || shape.properties === undefined) return value;
  const given = value as Record<string, unknown>;
  if (shape.additionalProperties === true) return given['details'];
  return Object.fromEntries(
    Object.entries(shape.properties).map(([name, field]) => [
      name,
      toContractNames(given[camel(name)], field),
    ]),
  );
}

/** A body in the names of a GraphQL input. Unknown names are unchanged. */
export function toGraphqlNames(value: unknown, type: GraphQLInputType): unknown {
  const bare = isNonNullType(type) ? (type.ofType as GraphQLInputType) : type;
  if (isListType(bare)) {
    const { ofType } = bare as { ofType: GraphQLInputType };
    return Array.isArray(value) ? value.map((item) => toGraphqlNames(item, ofType)) : value;
  }
  if (isScalarType(bare) || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const named = getNamedType(bare);
  if (!isInputObjectType(named)) return value;
  const fields = named.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = fields[name] ?? fields[camel(name)];
      return field === undefined ? [camel(name), item] : [field.name, toGraphqlNames(item, field.type)];
    }),
  );
}

/** Values that differ between two equal calls: ids, times, keys and tokens. */
export function maskVolatileValues(value: unknown): unknown {
  const text = JSON.stringify(value, (_, item: unknown) => (item === null ? undefined : item)) ?? 'null';
  return JSON.parse(
    text
      .replaceAll(/\b(wf|ex|usr|key|cli|dec|file|th)_[0-9a-z]{20,}/g, '<$1>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
      .replaceAll(/"(duration|uptime|[a-z_]*_ms|[a-z_]*_bytes|expires_in)":[\d.]+/g, '"$1":0')
      .replaceAll(/"(token|key|client_id|client_secret|prefix|url)":"[^"]*"/g, '"$1":"<made>"')
      .replaceAll(/(state|code_challenge)=[\w-]+/g, '$1=<made>')
      .replaceAll(/(listen|resume)\/[\w.-]+/g, '$1/<token>'),
  );
}

export function toRestResult(response: ApiResponse): CallResult {
  const body = response.body as { error?: { code: string; message: string; details: unknown } } | null;
  return response.status < 400 ? { value: body } : { error: body!.error! };
}

/** The path and query of a call. */
export function buildTarget(route: Route, input: CallInput): string {
  const where = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(input.params?.[name] ?? ''),
  );
  const query = Object.entries(input.query ?? {}).map(([name, value]) => [name, String(value)]);
  return query.length === 0
    ? where
    : `${where}?${new URLSearchParams(query as [string, string][]).toString()}`;
}
