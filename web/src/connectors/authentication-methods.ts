import type { PackDetail, PackOperationDetail } from 'weft-client';
import type { ConnectionPreset } from '../credentials/connection-preset.ts';
import type { Schema } from '../node-panel/model/field.ts';
import { isRecord } from '../node-panel/model/field-path.ts';
import { t } from '../i18n/index.ts';

export type Scheme = PackDetail['authentication'][number];

/** Schemes that are used together, with the scopes that the operation needs. */
export type AuthenticationMethod = {
  readonly id: string;
  readonly label: string;
  readonly schemes: readonly { readonly scheme: Scheme; readonly scopes: readonly string[] }[];
};

/** The authentication methods in an operation's document, without those with an unsupported scheme. */
export function listAuthenticationMethods(
  all: readonly Scheme[],
  security: PackOperationDetail['security'],
): readonly AuthenticationMethod[] {
  const stated = security.filter((together) => together.length > 0);
  const requirements =
    stated.length > 0 ? stated : all.map(({ id }) => [{ id, scopes: [] as readonly string[] }]);
  const methods = requirements.flatMap((together): AuthenticationMethod[] => {
    const schemes = together.flatMap(({ id, scopes }) => {
      const scheme = all.find((one) => one.id === id);
      return scheme === undefined || scheme.field === null ? [] : [{ scheme, scopes }];
    });
    if (schemes.length < together.length) return [];
    return [
      {
        id: schemes.map(({ scheme }) => scheme.id).join(' + '),
        label: schemes.map(({ scheme }) => getSchemeLabel(scheme)).join(' + '),
        schemes,
      },
    ];
  });
  return methods.filter(({ id }, i) => methods.findIndex((one) => one.id === id) === i);
}

function getSchemeLabel({ kind, in: location, name }: Scheme): string {
  switch (kind) {
    case 'api_key':
      return formatApiKey(name, location);
    case 'basic':
      return t('User name and password');
    case 'bearer':
      return t('Bearer token');
    case 'oauth2':
      return t('OAuth 2.0');
    case 'secret_text':
      return t('Secret');
    case 'fields':
      return t('Fields');
    case 'other':
      return kind;
  }
}

/** Where an API key is sent. */
export function formatApiKey(name: string | null, location: Scheme['in']): string {
  const key = name ?? '';
  if (location === 'query') return t('API key ({{name}} in the query)', { name: key });
  return location === 'cookie'
    ? t('API key ({{name}} in a cookie)', { name: key })
    : t('API key ({{name}} in the header)', { name: key });
}

/** The key of an API key in the field `apiKeys`; null for another scheme. */
export function getApiKeyField({ field }: Scheme): string | null {
  return field?.startsWith('apiKeys.') === true ? field.slice('apiKeys.'.length) : null;
}

/** The method that a configuration uses; null: it authenticates by none of them, or not at all. */
export function findUsedMethod(
  methods: readonly AuthenticationMethod[],
  config: Readonly<Record<string, unknown>>,
): AuthenticationMethod | null {
  const keys = isRecord(config['apiKeys']) ? Object.keys(config['apiKeys']).toSorted() : [];
  const { authentication } = config;
  const type = isRecord(authentication) ? authentication['type'] : undefined;
  if (keys.length === 0 && type === undefined) return null;
  return (
    methods.find(({ schemes }) => {
      const expectedKeys = schemes.flatMap(({ scheme }) => getApiKeyField(scheme) ?? []).toSorted();
      const other = schemes.find(({ scheme }) => getApiKeyField(scheme) === null)?.scheme.kind;
      return other === type && expectedKeys.join(' ') === keys.join(' ');
    }) ?? null
  );
}

/** The variant of the field `authentication` for a kind of scheme. */
export function findVariant(schema: Schema | undefined, kind: string): Schema | undefined {
  return schema?.oneOf?.find(({ properties }) => properties?.['type']?.const === kind);
}

/** What a new connection for a scheme begins with. */
export function createPreset({ grants }: Scheme, scopes: readonly string[]): ConnectionPreset | null {
  const grant = grants.find(({ grant_type: type }) => type === 'authorization_code') ?? grants[0];
  if (grant === undefined) return null;
  return {
    grantType: grant.grant_type,
    authorizationUrl: grant.authorization_url,
    tokenUrl: grant.token_url,
    scopes,
    authorizationParams: grant.authorization_params,
    pkce: grant.pkce,
  };
}
