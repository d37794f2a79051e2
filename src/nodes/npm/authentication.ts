import type { NodeContext } from '../../contract/node-type.ts';
import type { NpmManifest } from '../../contract/packs/npm-packs.ts';
import type { PackSecurityScheme } from '../../contract/packs/pack-security.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { nameFields } from './action-fields.ts';

type Loaded = { value: Json } | { field: string; issue: string };
type SchemeKind = PackSecurityScheme['kind'];

/** Returns the value with which a package authenticates, in the form of Activepieces; null: none. */
export async function loadAuthentication(
  ctx: NodeContext,
  { securitySchemes }: NpmManifest,
  given: Json,
): Promise<Loaded> {
  if (!isObject(given)) return { value: null };
  const readText = (field: string): string => {
    const value = given[field];
    return typeof value === 'string' ? value : '';
  };
  const has = (kind: SchemeKind): boolean => securitySchemes.some((scheme) => scheme.kind === kind);
  switch (given['type']) {
    case 'connection':
      return loadConnection(ctx, securitySchemes, has, 'connection', readText('connection'));
    case 'oauth2':
      return loadConnection(ctx, securitySchemes, has, 'credential', readText('credential'));
    case 'secret_text':
      return { value: secretText(given['secret'] ?? '') };
    case 'basic':
      return { value: basic(given['username'] ?? '', given['password'] ?? '') };
    case 'token':
      return { value: oauth2(readText('token')) };
    default:
      return { value: customFields(readFields(securitySchemes, given['fields'] ?? null)) };
  }
}

async function loadConnection(
  ctx: NodeContext,
  schemes: readonly PackSecurityScheme[],
  has: (kind: SchemeKind) => boolean,
  place: string,
  name: string,
): Promise<Loaded> {
  const { token, fields } = await ctx.http.connection(name);
  const field = `authentication.${place}`;
  if (fields === null) {
    if (has('oauth2')) return { value: oauth2(token ?? '') };
    return has('secret_text')
      ? { value: secretText(token ?? '') }
      : { field, issue: 'must be a connection of named fields: the pack does not authenticate with OAuth' };
  }
  const { username, password } = fields;
  if (has('basic') && username !== undefined && password !== undefined)
    return { value: basic(username, password) };
  const custom = schemes.find((scheme) => scheme.kind === 'fields');
  const missing = custom?.fields.find(
    (one) => one.required && one.default === null && !Object.hasOwn(fields, one.name),
  );
  if (custom !== undefined && missing === undefined)
    return { value: customFields({ ...defaultsOf(custom), ...fields }) };
  const values = Object.values(fields);
  const [only] = values;
  if (only !== undefined && values.length === 1) {
    if (has('secret_text')) return { value: secretText(only) };
    if (has('oauth2')) return { value: oauth2(only) };
  }
  return {
    field,
    issue:
      missing === undefined
        ? `must be a connection with ${has('basic') ? 'a user name and a password' : 'one field, the secret of the pack'}`
        : `must be a connection with the field ${missing.name}`,
  };
}

function defaultsOf({ fields }: Extract<PackSecurityScheme, { kind: 'fields' }>): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name, default: value }) => (value === null ? [] : [[name, value]])),
  );
}

/** The fields of a configuration by the names of the package. */
function readFields(schemes: readonly PackSecurityScheme[], given: Json): JsonObject {
  const custom = schemes.find((scheme) => scheme.kind === 'fields');
  if (custom === undefined || !isObject(given)) return {};
  return Object.fromEntries(
    nameFields(custom.fields).flatMap(({ field, property }) => {
      const value = given[field] ?? property.default;
      return value === null ? [] : [[property.name, value]];
    }),
  );
}

function secretText(secret: Json): JsonObject {
  return { type: 'SECRET_TEXT', secret_text: secret };
}

function basic(username: Json, password: Json): JsonObject {
  return { type: 'BASIC_AUTH', username, password };
}

function customFields(props: JsonObject): JsonObject {
  return { type: 'CUSTOM_AUTH', props };
}

function oauth2(token: string): JsonObject {
  const data = { access_token: token, token_type: 'bearer' };
  return { type: 'OAUTH2', ...data, props: {}, data };
}
