import { Type, type Static } from 'typebox';
import type { FieldError } from '../errors.ts';

/** How a connection of named fields authenticates a request: where its values are placed. */

export const fieldAuthenticationTypes = ['header', 'query', 'basic', 'bearer', 'custom'] as const;
const MAX_PLACEMENTS = 20;
export const MAX_FIELD_VALUE_LENGTH = 10_000;
const FIELD_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

const closed = { additionalProperties: false };
const optionalText = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 256, description }), Type.Null()], { description }));

const PlacementInput = Type.Object(
  {
    in: Type.Enum(['header', 'query'], { description: 'Whether it is a header or a query parameter.' }),
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The name of the header or of the query parameter.',
    }),
    field: Type.String({
      pattern: FIELD_NAME_PATTERN,
      'x-issue': 'must be 1 to 64 letters, digits and _, and not begin with a digit',
      description: 'The name of the field whose value is sent.',
    }),
    prefix: optionalText('Text before the value, such as "Token ".'),
  },
  { title: 'ConnectionPlacementInput', ...closed },
);

export const FieldAuthenticationInput = Type.Object(
  {
    type: Type.Enum([...fieldAuthenticationTypes], {
      description:
        'header and query: the field value. bearer: the field token. basic: the fields username and password. custom: the fields of placements.',
    }),
    name: optionalText('For header and query: the name of the header or of the query parameter.'),
    prefix: optionalText('For header: text before the value, such as "Token ".'),
    placements: Type.Optional(
      Type.Union([Type.Array(PlacementInput, { maxItems: MAX_PLACEMENTS }), Type.Null()], {
        description: 'For custom: where each field is sent.',
      }),
    ),
  },
  { title: 'ConnectionAuthenticationInput', ...closed },
);
export type FieldAuthenticationInput = Static<typeof FieldAuthenticationInput>;

export type FieldPlacement = {
  readonly in: 'header' | 'query';
  readonly name: string;
  readonly field: string;
  readonly prefix: string;
};
/** As stored and shown: fields of other types are null. */
export type FieldAuthentication = {
  readonly type: (typeof fieldAuthenticationTypes)[number];
  readonly name: string | null;
  readonly prefix: string | null;
  readonly placements: readonly FieldPlacement[] | null;
};

/** Completes a given authentication, with an error for each missing or unsuitable field. */
export function readFieldAuthentication(given: FieldAuthenticationInput): {
  authentication: FieldAuthentication;
  errors: FieldError[];
} {
  const errors: FieldError[] = [];
  const add = (field: string, issue: string): void =>
    void errors.push({ field: `authentication.${field}`, issue });
  const { type } = given;
  const allowed = {
    header: ['name', 'prefix'],
    query: ['name'],
    custom: ['placements'],
    basic: [],
    bearer: [],
  };
  for (const field of ['name', 'prefix', 'placements'] as const) {
    const isAllowed = (allowed[type] as readonly string[]).includes(field);
    if (!isAllowed && given[field] != null) add(field, `must not be set for ${type}`);
  }
  if ((type === 'header' || type === 'query') && (given.name ?? '') === '')
    add('name', `is required for ${type}`);
  if (type === 'custom' && (given.placements ?? []).length === 0)
    add('placements', 'must have at least one entry for custom');
  const authentication: FieldAuthentication = {
    type,
    name: type === 'header' || type === 'query' ? (given.name ?? null) : null,
    prefix: type === 'header' ? (given.prefix ?? '') : null,
    placements:
      type === 'custom'
        ? (given.placements ?? []).map((one) => ({ ...one, prefix: one.prefix ?? '' }))
        : null,
  };
  return { authentication, errors };
}

/** Where values are sent; empty for basic, whose header combines both of its fields. */
export function listPlacements({ type, name, prefix, placements }: FieldAuthentication): FieldPlacement[] {
  switch (type) {
    case 'header':
      return [{ in: 'header', name: name ?? '', field: 'value', prefix: prefix ?? '' }];
    case 'query':
      return [{ in: 'query', name: name ?? '', field: 'value', prefix: '' }];
    case 'bearer':
      return [{ in: 'header', name: 'Authorization', field: 'token', prefix: 'Bearer ' }];
    case 'custom':
      return [...(placements ?? [])];
    case 'basic':
      return [];
  }
}

/** Returns the names of the fields that must have values. */
export function listFieldNames(authentication: FieldAuthentication): string[] {
  return authentication.type === 'basic'
    ? ['username', 'password']
    : [...new Set(listPlacements(authentication).map(({ field }) => field))];
}

/** The values of a request that authenticate it: header names are in lower case. */
export type RequestCredentials = {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
};

/** Returns what authenticates a request with these values. */
export function authenticateWithFields(
  authentication: FieldAuthentication,
  values: Readonly<Record<string, string>>,
): RequestCredentials {
  if (authentication.type === 'basic') {
    const pair = Buffer.from(`${values['username'] ?? ''}:${values['password'] ?? ''}`);
    return { headers: { authorization: `Basic ${pair.toString('base64')}` }, query: {} };
  }
  // The names are those of a service, and can be names of inherited properties, such as `__proto__`.
  const headers = new Map<string, string>();
  const query = new Map<string, string>();
  for (const { in: location, name, field, prefix } of listPlacements(authentication)) {
    const text = `${prefix}${values[field] ?? ''}`;
    if (location === 'header') headers.set(name.toLowerCase(), text);
    else query.set(name, text);
  }
  return { headers: Object.fromEntries(headers), query: Object.fromEntries(query) };
}

/** The values to redact. A user name is not a secret, unless the service takes its key as the user name. */
export function listSecretValues(
  authentication: FieldAuthentication,
  values: Readonly<Record<string, string>>,
): string[] {
  const names = listFieldNames(authentication).filter(
    (name) => authentication.type !== 'basic' || name !== 'username' || values['password'] === '',
  );
  return names.map((name) => values[name] ?? '').filter((value) => value !== '');
}
