import { Type, type TObject, type TSchema } from 'typebox';
import type { NpmManifest, NpmOperation, NpmUsableTrigger } from '../../contract/packs/npm-packs.ts';
import type { NpmProperty } from '../../contract/packs/npm-properties.ts';
import type { PackSecurityScheme } from '../../contract/packs/pack-security.ts';
import type { Json } from '../../lib/json/json.ts';
import { output } from '../output-schema.ts';
import { closed, connectionName, tagged } from '../schema.ts';
import { ui, type UiHints } from '../ui-hints.ts';
import { polling } from '../triggers/polling-config.ts';
import { listActionFields, nameFields, listTriggerFields, type PropertyField } from './action-fields.ts';

/** Orders of the fields in the form: authentication, then properties, required ones first. */
const FIRST_PROPERTY = 10;

/** Creates the form of an action: a variant of the configuration of its node type. */
export function createActionForm({ securitySchemes }: NpmManifest, operation: NpmOperation): TObject {
  const { id, title, description } = operation;
  const needsAuthentication = operation.security.length > 0;
  const authentication = createAuthenticationField(securitySchemes);
  return closed(
    {
      operation: Type.Literal(id),
      ...(authentication === null
        ? {}
        : { authentication: needsAuthentication ? authentication : Type.Optional(authentication) }),
      ...createFields(listActionFields(operation), FIRST_PROPERTY),
    },
    { title, ...(description === '' ? {} : { description }), ...output(Type.Unsafe<Json>({})) },
  );
}

/** Creates the form of a trigger: a variant of the configuration of the node type of a pack's triggers. */
export function createTriggerForm(
  { securitySchemes }: NpmManifest,
  { id, title, description, security, ...trigger }: NpmUsableTrigger,
): TObject {
  const authentication = createAuthenticationField(securitySchemes);
  const { interval, cron, timezone, maxItems } = polling.properties;
  const isWebhook = trigger.strategy !== 'polling';
  return closed(
    {
      event: Type.Literal(id),
      ...(authentication === null
        ? {}
        : { authentication: security.length > 0 ? authentication : Type.Optional(authentication) }),
      ...createFields(listTriggerFields(trigger), FIRST_PROPERTY),
      ...(isWebhook ? {} : { interval, cron, timezone }),
      key: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_000,
          title: 'Item ID',
          ...ui({ advanced: true, hint: '', placeholder: 'id' }),
          description:
            'Identifies an item: a path in the item such as id. Each item with another ID starts one execution. Default: each item that the pack reports as new.',
        }),
      ),
      ...(isWebhook ? {} : { maxItems }),
    },
    {
      title,
      ...(description === '' ? {} : { description }),
      ...output(
        Type.Object({
          item: Type.Unknown(trigger.sample === null ? {} : { examples: [trigger.sample] }),
          key: Type.String(),
          [isWebhook ? 'received_at' : 'polled_at']: Type.String({ format: 'date-time' }),
        }),
      ),
    },
  );
}

/** Required fields first, in the order of the package. */
function createFields(
  fields: readonly PropertyField[],
  firstOrder: number,
  name: (properties: readonly NpmProperty[]) => readonly PropertyField[] = nameFields,
): Record<string, TSchema> {
  const sorted = fields.toSorted((a, b) => Number(b.property.required) - Number(a.property.required));
  return Object.fromEntries(
    sorted.map(({ field, property }, i) => {
      const loads = createLoadHints(property, fields);
      const hints = { ...loads, ...(property.kind === 'secret' ? { control: 'secret' as const } : {}) };
      const schema = Type.Unsafe<Json>({
        ...createSchema(property, name),
        title: property.title,
        ...(property.description === '' ? {} : { description: property.description }),
        ...(property.default === null ? {} : { default: property.default }),
        ...ui({ order: firstOrder + i, ...hints }),
      });
      // The default is used when there is no value.
      return [field, property.required && property.default === null ? schema : Type.Optional(schema)];
    }),
  );
}

/** None for a property that loads nothing. */
function createLoadHints(
  { refreshers, searches = false }: NpmProperty,
  fields: readonly PropertyField[],
): Pick<UiHints, 'loads' | 'searches'> {
  if (refreshers === undefined) return {};
  const loads = fields.flatMap(({ field, property }) => (refreshers.includes(property.name) ? [field] : []));
  return { loads, ...(searches ? { searches } : {}) };
}

/** Only fields of the configuration itself are loaded. */
function withoutLoads(properties: readonly NpmProperty[]): NpmProperty[] {
  return properties.map(({ refreshers: _refreshers, searches: _searches, ...property }) => property);
}

function createSchema(
  property: NpmProperty,
  name: (properties: readonly NpmProperty[]) => readonly PropertyField[],
): Record<string, unknown> {
  switch (property.kind) {
    case 'text':
    case 'secret':
      return { type: 'string' };
    case 'long_text':
      return { type: 'string', contentMediaType: 'text/plain' };
    case 'number':
      return { type: 'number' };
    case 'checkbox':
      return { type: 'boolean' };
    case 'date_time':
      return { type: 'string', examples: ['2026-01-31T09:00:00Z'] };
    case 'choice':
      return createChoice(property);
    case 'choices':
      return { type: 'array', items: createChoice(property), uniqueItems: true };
    case 'loaded_choices':
      return { type: 'array' };
    case 'loaded_fields':
    case 'object':
      return { type: 'object' };
    case 'list':
      return {
        type: 'array',
        items:
          property.properties.length === 0
            ? { type: 'string' }
            : closed(createFields(name(withoutLoads(property.properties)), 1, name)),
      };
    case 'file':
      return { description: 'A file of the execution: {"$file": …}, or its URL.' };
    case 'loaded_choice':
    case 'any':
      return {};
  }
}

const UNUSABLE = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Creates the schema of the value of loaded fields. Its fields have the names of the package, as nothing maps
 * them when the action runs, and they load nothing themselves.
 */
export function createLoadedForm(properties: readonly NpmProperty[]): TObject {
  const name = (given: readonly NpmProperty[]): PropertyField[] =>
    given.flatMap((property) => (UNUSABLE.has(property.name) ? [] : [{ field: property.name, property }]));
  return closed(createFields(name(withoutLoads(properties)), 1, name));
}

function createChoice({ options }: NpmProperty): Record<string, unknown> {
  const labels = Object.fromEntries(
    options.flatMap(({ label, value }) => (typeof value === 'object' ? [] : [[String(value), label]])),
  );
  return { enum: options.map(({ value }) => value), ...ui({ labels }) };
}

/** Null: no way to authenticate is supported. */
export function createAuthenticationField(schemes: readonly PackSecurityScheme[]): TSchema | null {
  const variants = schemes.flatMap((scheme) => createVariant(scheme));
  if (variants.length === 0) return null;
  const connection = closed(
    {
      type: Type.Literal('connection'),
      connection: connectionName({
        title: 'Connection',
        ...ui({ hint: '' }),
        description: 'The name of a connection: a connected account, a key, a password or other fields.',
      }),
    },
    { title: 'Connection' },
  );
  return tagged('type', [connection, ...variants], {
    title: 'Authentication',
    description: 'How the pack authenticates. Use secrets as {{ secrets.NAME }}.',
    ...ui({ order: 1, hint: '' }),
  });
}

function createVariant(scheme: PackSecurityScheme): TObject[] {
  const secret = (title: string) => Type.String({ minLength: 1, title, ...ui({ control: 'secret' }) });
  switch (scheme.kind) {
    case 'secret_text':
      return [closed({ type: Type.Literal('secret_text'), secret: secret('Secret') }, { title: 'Secret' })];
    case 'basic':
      return [
        closed(
          { type: Type.Literal('basic'), username: Type.String(), password: secret('Password') },
          { title: 'User name and password' },
        ),
      ];
    case 'oauth2':
      return [
        closed(
          {
            type: Type.Literal('oauth2'),
            credential: connectionName({
              title: 'Connection',
              ...ui({ hint: '' }),
              description: 'The name of a connection: a connected account.',
            }),
          },
          { title: 'OAuth 2.0' },
        ),
        closed({ type: Type.Literal('token'), token: secret('Access token') }, { title: 'Access token' }),
      ];
    case 'fields':
      return [
        closed(
          {
            type: Type.Literal('fields'),
            fields: closed(createFields(nameFields(withoutLoads(scheme.fields)), 1), { title: 'Fields' }),
          },
          { title: 'Fields' },
        ),
      ];
    default:
      return [];
  }
}
