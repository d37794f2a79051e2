import { Type } from 'typebox';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { WeftError } from '../errors.ts';
import { parameterLocations, parameterStyles, type OpenApiManifest } from './packs.ts';
import { validate } from '../validate.ts';

const closed = { additionalProperties: false };
const Text = Type.String();
const Flag = Type.Boolean();
const orNull = (schema: object) => Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }] });
const mapSchema = (value: object) => Type.Unsafe<unknown>({ type: 'object', additionalProperties: value });
const Url = Type.String({ pattern: '^https?://' });
/** The keywords of the schemas in a manifest. There are no references and no regular expressions. */
const FormSchema = Type.Object(
  {
    type: Type.Optional(
      Type.Unsafe<Json>({
        anyOf: [{ $ref: '#/$defs/type' }, { type: 'array', items: { $ref: '#/$defs/type' }, minItems: 1 }],
      }),
    ),
    properties: Type.Optional(mapSchema({ $ref: '#/$defs/schema' })),
    required: Type.Optional(Type.Array(Text)),
    additionalProperties: Type.Optional(
      Type.Unsafe<Json>({ anyOf: [{ const: false }, { $ref: '#/$defs/schema' }] }),
    ),
    items: Type.Optional(Type.Unsafe<Json>({ $ref: '#/$defs/schema' })),
    anyOf: Type.Optional(
      Type.Unsafe<Json>({ type: 'array', items: { $ref: '#/$defs/schema' }, minItems: 1 }),
    ),
    enum: Type.Optional(Type.Array(Type.Unsafe<Json>({}), { minItems: 1 })),
    ...Object.fromEntries(
      ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) => [
        keyword,
        Type.Optional(Type.Integer({ minimum: 0 })),
      ]),
    ),
    ...Object.fromEntries(
      ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => [
        keyword,
        Type.Optional(Type.Number()),
      ]),
    ),
    uniqueItems: Type.Optional(Flag),
    description: Type.Optional(Text),
    default: Type.Optional(Type.Unsafe<Json>({})),
    examples: Type.Optional(Type.Array(Type.Unsafe<Json>({}))),
    deprecated: Type.Optional(Flag),
    contentMediaType: Type.Optional(Text),
  },
  closed,
);
const Schema = Type.Unsafe<JsonObject>({ $ref: '#/$defs/schema' });
const OneOf = <const T extends readonly string[]>(texts: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...texts] });

const serialization = { style: OneOf(parameterStyles), explode: Flag, allowReserved: Flag };
const Server = Type.Object({ url: Url, description: Text }, closed);
const scheme = { id: Text, description: Text };

const Parameter = Type.Object(
  {
    ...serialization,
    name: Type.String({ minLength: 1 }),
    in: OneOf(parameterLocations),
    required: Flag,
    deprecated: Flag,
    contentType: orNull(Text),
    schema: Schema,
  },
  closed,
);

const Body = Type.Object(
  {
    required: Flag,
    contentType: Type.String({ minLength: 1 }),
    schema: Schema,
    encoding: mapSchema(Type.Object({ ...serialization, contentType: orNull(Text) }, closed)),
  },
  closed,
);

const Operation = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    method: OneOf(['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']),
    path: Type.String({ pattern: '^/' }),
    title: Text,
    description: Text,
    tags: Type.Array(Text),
    deprecated: Flag,
    parameters: Type.Array(Parameter),
    body: orNull(Body),
    response: orNull(Type.Object({ contentType: Text, schema: orNull(Schema) }, closed)),
    security: Type.Array(mapSchema(Type.Array(Text))),
    servers: orNull(Type.Array(Server)),
  },
  closed,
);

const Grant = Type.Object(
  {
    grant: OneOf(['authorization_code', 'client_credentials']),
    authorizationUrl: orNull(Url),
    tokenUrl: orNull(Url),
    scopes: mapSchema(Text),
  },
  closed,
);

const SecurityScheme = Type.Unsafe<unknown>({
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [
    Type.Object(
      { ...scheme, kind: Type.Literal('api_key'), in: OneOf(['header', 'query', 'cookie']), name: Text },
      closed,
    ),
    Type.Object({ ...scheme, kind: Type.Literal('basic') }, closed),
    Type.Object({ ...scheme, kind: Type.Literal('bearer') }, closed),
    Type.Object({ ...scheme, kind: Type.Literal('oauth2'), grants: Type.Array(Grant) }, closed),
    Type.Object({ ...scheme, kind: Type.Literal('other'), scheme: Text }, closed),
  ],
});

const Manifest = Type.Object(
  {
    kind: Type.Literal('openapi'),
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9_]{0,63}$' }),
    version: Type.String({ pattern: '^(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){2}$' }),
    documentVersion: Text,
    title: Type.String({ minLength: 1 }),
    description: Text,
    servers: Type.Array(Server),
    securitySchemes: Type.Array(SecurityScheme),
    operations: Type.Array(Operation, { minItems: 1 }),
    warnings: Type.Array(Text),
  },
  {
    ...closed,
    $defs: {
      type: { type: 'string', enum: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] },
      schema: FormSchema,
    },
  },
);

/** Checks a manifest that comes from a process or from storage. Nothing in it is compiled. */
export function parsePackManifest(value: Json): { manifest: OpenApiManifest } | { issue: string } {
  try {
    validate(Manifest, value);
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    return { issue: JSON.stringify(error.details ?? error.message).slice(0, 500) };
  }
  const manifest = value as unknown as OpenApiManifest;
  const ids = new Set(manifest.operations.map(({ id }) => id));
  return ids.size === manifest.operations.length
    ? { manifest }
    : { issue: 'two operations have the same id' };
}
