import type {
  NpmHandshake,
  NpmManifest,
  NpmOperation,
  NpmTrigger,
  NpmTriggerStrategy,
} from '../../contract/packs/npm-packs.ts';
import type {
  PackGrant,
  PackSecurityScheme,
  SecurityRequirement,
} from '../../contract/packs/pack-security.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { readFlag, readProperties, readText, type Warn } from './read-properties.ts';

/** Limits of what a package may declare; more is left out with a warning. */
const MAX_ITEMS = 1_000;
const MAX_WARNINGS = 50;
const MAX_TITLE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 4_000;
const MAX_URL_LENGTH = 2_000;
const MAX_SCOPES = 200;
/** As in the settings of a connection. */
const MAX_PARAMS = 20;
const MAX_PARAM_NAME_LENGTH = 100;
const MAX_PARAM_LENGTH = 1_000;
const ID = /^[A-Za-z0-9_$.-]{1,200}$/;

export type Listing = Pick<
  NpmManifest,
  'title' | 'description' | 'securitySchemes' | 'operations' | 'triggers' | 'warnings'
>;

/**
 * Converts what the process of a package listed, which may be anything, into the terms of Weft. Null: it has
 * neither an action nor a trigger that could run.
 */
export function readListing(listed: Json, packageName: string): Listing | null {
  if (!isObject(listed)) return null;
  const warnings: string[] = [];
  const warn: Warn = (text) => {
    if (warnings.length < MAX_WARNINGS && !warnings.includes(text)) warnings.push(text);
  };
  const securitySchemes = readAuthentications(listed['auth'], warn);
  const operations = readItems(listed['actions'], 'action', warn).map((item) =>
    readOperation(item, securitySchemes, warn),
  );
  const triggers = readItems(listed['triggers'], 'trigger', warn).map((item) =>
    readTrigger(item, securitySchemes, readFlag(listed['readsAppRequests']), warn),
  );
  const unusable = triggers.filter(({ strategy }) => strategy === null);
  if (operations.length === 0 && unusable.length === triggers.length) return null;
  if (unusable.length > 0)
    warn(
      `${unusable.length} of its triggers are listed, but cannot start workflows: they are of an unknown type, or the package cannot verify the requests of their service.`,
    );
  return {
    title: readText(listed['displayName'], MAX_TITLE_LENGTH) || packageName,
    description: readText(listed['description'], MAX_DESCRIPTION_LENGTH),
    securitySchemes,
    operations,
    triggers,
    warnings,
  };
}

function readItems(value: Json | undefined, what: string, warn: Warn): (JsonObject & { name: string })[] {
  const items = Array.isArray(value) ? value : [];
  if (items.length > MAX_ITEMS) warn(`It has more than ${MAX_ITEMS} ${what}s; the others are left out.`);
  const names = new Set<string>();
  return items.slice(0, MAX_ITEMS).flatMap((item) => {
    const name = isObject(item) ? item['name'] : undefined;
    if (!isObject(item) || typeof name !== 'string' || !ID.test(name) || names.has(name)) {
      warn(`An ${what} without a usable name is left out.`.replace('An trigger', 'A trigger'));
      return [];
    }
    names.add(name);
    return [{ ...item, name }];
  });
}

function readOperation(
  item: JsonObject & { name: string },
  schemes: readonly PackSecurityScheme[],
  warn: Warn,
): NpmOperation {
  const { audience } = item;
  return {
    id: item.name,
    title: readText(item['displayName'], MAX_TITLE_LENGTH) || item.name,
    description: readText(item['description'], MAX_DESCRIPTION_LENGTH),
    tags: audience === 'ai' ? ['ai'] : [],
    deprecated: false,
    properties: readProperties(item['props'], `the action ${item.name}`, warn),
    idempotent: readFlag(item['idempotent']),
    security: item['requireAuth'] === false ? [] : schemes.map(toRequirement),
    response: null,
  };
}

function readTrigger(
  item: JsonObject & { name: string },
  schemes: readonly PackSecurityScheme[],
  readsAppRequests: boolean,
  warn: Warn,
): NpmTrigger {
  return {
    id: item.name,
    title: readText(item['displayName'], MAX_TITLE_LENGTH) || item.name,
    description: readText(item['description'], MAX_DESCRIPTION_LENGTH),
    strategy: readStrategy(item['type'], readsAppRequests),
    properties: readProperties(item['props'], `the trigger ${item.name}`, warn),
    security: item['requireAuth'] === false ? [] : schemes.map(toRequirement),
    handshake: readHandshake(item['handshake']),
    renewal: readRenewal(item['renewal']),
    sample: readSample(item['sample']),
  };
}

/** A list of samples has one for each item. */
function readSample(value: Json | undefined): Json {
  const sample = Array.isArray(value) ? value[0] : value;
  return sample === undefined || (isObject(sample) && Object.keys(sample).length === 0) ? null : sample;
}

function readStrategy(type: Json | undefined, readsAppRequests: boolean): NpmTriggerStrategy | null {
  if (type === 'POLLING') return 'polling';
  if (type === 'APP_WEBHOOK') return readsAppRequests ? 'app_webhook' : null;
  return type === 'WEBHOOK' ? 'webhook' : null;
}

const HANDSHAKES: Readonly<Record<string, NpmHandshake['in']>> = {
  HEADER_PRESENT: 'header',
  QUERY_PRESENT: 'query',
  BODY_PARAM_PRESENT: 'body',
};

function readHandshake(value: Json | undefined): NpmHandshake | null {
  if (!isObject(value)) return null;
  const { strategy, paramName } = value;
  const place =
    typeof strategy === 'string' && Object.hasOwn(HANDSHAKES, strategy) ? HANDSHAKES[strategy] : null;
  const name = readText(paramName, MAX_PARAM_NAME_LENGTH);
  return place === null || place === undefined || name === '' ? null : { in: place, name };
}

function readRenewal(value: Json | undefined): string | null {
  if (!isObject(value) || value['strategy'] !== 'CRON') return null;
  return readText(value['cronExpression'], MAX_PARAM_NAME_LENGTH);
}

function readAuthentications(value: Json | undefined, warn: Warn): PackSecurityScheme[] {
  const given = (Array.isArray(value) ? value : []).filter((one) => isObject(one)).slice(0, 10);
  const ids = new Set<string>();
  return given.flatMap((one) => {
    const scheme = readAuthentication(one, warn);
    // The configuration of a node distinguishes them by their kind.
    if (ids.has(scheme.id)) {
      warn(`It has several ways to authenticate of the kind ${scheme.id}; the first one is used.`);
      return [];
    }
    ids.add(scheme.id);
    return [scheme];
  });
}

function readAuthentication(auth: JsonObject, warn: Warn): PackSecurityScheme {
  const description = readText(auth['description'], MAX_DESCRIPTION_LENGTH);
  switch (auth['type']) {
    case 'SECRET_TEXT':
      return { id: 'secret_text', kind: 'secret_text', description };
    case 'BASIC_AUTH':
      return { id: 'basic', kind: 'basic', description };
    case 'CUSTOM_AUTH': {
      const fields = readProperties(auth['props'], 'its authentication', warn);
      return { id: 'fields', kind: 'fields', description, fields };
    }
    case 'OAUTH2':
      return { id: 'oauth2', kind: 'oauth2', description, grants: [readGrant(auth)] };
    default: {
      const scheme = readText(auth['type'], 100) || 'unknown';
      warn(`It authenticates with ${scheme}, which is not supported.`);
      return { id: scheme.toLowerCase(), kind: 'other', description, scheme };
    }
  }
}

function readGrant({ authUrl, tokenUrl, scope, grantType, extra, prompt, pkce }: JsonObject): PackGrant {
  const scopes = (Array.isArray(scope) ? scope : []).flatMap((one) =>
    typeof one === 'string' && one !== '' ? [one.slice(0, MAX_TITLE_LENGTH)] : [],
  );
  return {
    grant: grantType === 'client_credentials' ? 'client_credentials' : 'authorization_code',
    authorizationUrl: readUrl(authUrl),
    tokenUrl: readUrl(tokenUrl),
    scopes: Object.fromEntries(scopes.slice(0, MAX_SCOPES).map((name) => [name, ''])),
    authorizationParams: readAuthorizationParams(extra, prompt),
    ...(typeof pkce === 'boolean' ? { pkce } : {}),
  };
}

/** Parameters that each authorization has; a package does not replace them. */
const SET_BY_WEFT = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
]);

/** `prompt: 'omit'` of Activepieces sends none. */
function readAuthorizationParams(extra: Json | undefined, prompt: Json | undefined): Record<string, string> {
  const given = {
    ...(isObject(extra) ? extra : {}),
    ...(prompt === 'omit' ? {} : { prompt: prompt ?? null }),
  };
  const params = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' &&
    name.length <= MAX_PARAM_NAME_LENGTH &&
    value.length <= MAX_PARAM_LENGTH &&
    !SET_BY_WEFT.has(name.toLowerCase())
      ? [[name, value] as const]
      : [],
  );
  return Object.fromEntries(params.slice(0, MAX_PARAMS));
}

/** The scopes that a scheme requests, as a requirement. */
function toRequirement(scheme: PackSecurityScheme): SecurityRequirement {
  const [grant] = scheme.kind === 'oauth2' ? scheme.grants : [];
  return { [scheme.id]: Object.keys(grant?.scopes ?? {}) };
}

/** Null for an address with placeholders, which the user has to complete. */
function readUrl(value: Json | undefined): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || /[{}]/.test(value)) return null;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) ? value : null;
}
