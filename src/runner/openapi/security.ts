import type {
  PackGrant,
  PackSecurityScheme,
  SecurityRequirement,
} from '../../contract/packs/pack-security.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { DocumentError } from './document.ts';
import type { References } from './references.ts';

const MAX_DESCRIPTION_LENGTH = 600;
const MAX_SCOPES = 500;
/** Each API key is a field of every form. */
const MAX_SCHEMES = 200;

/** The security schemes of a document, by the kinds that a request can use. @throws {DocumentError} */
export function readSecuritySchemes(
  schemes: Json | undefined,
  references: References,
  documentUrl: string | null,
): PackSecurityScheme[] {
  if (!isObject(schemes)) return [];
  if (Object.keys(schemes).length > MAX_SCHEMES)
    throw new DocumentError(
      `must have at most ${MAX_SCHEMES} security schemes`,
      '#/components/securitySchemes',
    );
  return Object.entries(schemes).flatMap(([id, given]): PackSecurityScheme[] => {
    const scheme = references.object(given, `#/components/securitySchemes/${id}`);
    if (scheme === null) return [];
    return [{ id, description: readText(scheme['description']), ...readKind(scheme, documentUrl) }];
  });
}

type Kind<T = PackSecurityScheme> = T extends unknown ? Omit<T, 'id' | 'description'> : never;

function readKind(scheme: JsonObject, documentUrl: string | null): Kind {
  const { type, name, in: location } = scheme;
  if (type === 'apiKey' && typeof name === 'string' && name !== '') {
    if (location === 'header' || location === 'query' || location === 'cookie')
      return { kind: 'api_key', in: location, name };
  }
  if (type === 'http') {
    const method = readText(scheme['scheme']).toLowerCase();
    if (method === 'basic' || method === 'bearer') return { kind: method };
    return { kind: 'other', scheme: method };
  }
  if (type === 'oauth2') return { kind: 'oauth2', grants: readGrants(scheme['flows'], documentUrl) };
  // The endpoints are in another document, so the person who connects an account enters them.
  if (type === 'openIdConnect') return { kind: 'oauth2', grants: [] };
  return { kind: 'other', scheme: readText(type) };
}

/** An implicit flow becomes an authorization code, which services offer instead of it. */
function readGrants(flows: Json | undefined, documentUrl: string | null): PackGrant[] {
  if (!isObject(flows)) return [];
  const { authorizationCode, implicit, clientCredentials } = flows;
  const [code, client] = [authorizationCode ?? implicit, clientCredentials];
  const resolveUrl = (value: Json | undefined): string | null => readUrl(value, documentUrl);
  return [
    ...(isObject(code)
      ? [
          {
            grant: 'authorization_code' as const,
            authorizationUrl: resolveUrl(code['authorizationUrl']),
            tokenUrl: resolveUrl(code['tokenUrl']),
            scopes: readScopes(code['scopes']),
          },
        ]
      : []),
    ...(isObject(client)
      ? [
          {
            grant: 'client_credentials' as const,
            authorizationUrl: null,
            tokenUrl: resolveUrl(client['tokenUrl']),
            scopes: readScopes(client['scopes']),
          },
        ]
      : []),
  ];
}

function readUrl(value: Json | undefined, documentUrl: string | null): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const url = documentUrl === null ? URL.parse(value) : URL.parse(value, documentUrl);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}

function readScopes(scopes: Json | undefined): Record<string, string> {
  if (!isObject(scopes)) return {};
  return Object.fromEntries(
    Object.entries(scopes)
      .slice(0, MAX_SCOPES)
      .map(([name, text]) => [name, readText(text)]),
  );
}

/** Requirements that name unknown schemes are left out. */
export function readSecurity(list: Json | undefined, known: ReadonlySet<string>): SecurityRequirement[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((given): SecurityRequirement[] => {
    if (!isObject(given)) return [];
    const entries = Object.entries(given);
    if (entries.some(([id]) => !known.has(id))) return [];
    return [
      Object.fromEntries(
        entries.map(([id, scopes]) => [
          id,
          Array.isArray(scopes) ? scopes.filter((scope): scope is string => typeof scope === 'string') : [],
        ]),
      ),
    ];
  });
}

function readText(value: Json | undefined): string {
  return typeof value === 'string' ? truncateText(value.trim(), MAX_DESCRIPTION_LENGTH) : '';
}
