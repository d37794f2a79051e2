import { Type, type Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { McpServer } from '../../contract/ai/mcp.ts';
import type { NodeContext, TemplateMode } from '../../contract/node-type.ts';
import type { SecretFields } from '../../contract/secret-fields.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { authenticationSchema, authenticationSecrets, createCredentials } from '../http/authentication.ts';
import { validateRequest } from '../http/request-check.ts';
import { HttpRequestConfig } from '../http/request-config.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';

/** Time limit of a call or a list. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** The fields that say how a server is reached. */
export const serverFields = {
  url: Type.String({
    minLength: 1,
    title: 'Server URL',
    ...ui({ order: 1, hint: '', placeholder: 'https://mcp.example.com/mcp' }),
    description: 'The http or https URL of an MCP server with the transport streamable HTTP.',
  }),
  authentication: Type.Optional({ ...authenticationSchema, ...ui({ order: 2, hint: '' }) }),
  proxy: HttpRequestConfig.properties.proxy,
};
const serverConfig = closed(serverFields);
export type ServerConfig = Static<typeof serverConfig> & { timeout?: string };

export const serverTemplates: Record<string, TemplateMode> = {
  url: 'url',
  'authentication.type': 'literal',
  'authentication.grant_type': 'literal',
  'authentication.token_url': 'url',
  'authentication.credential': 'literal',
  'authentication.connection': 'literal',
};

export const serverSecrets: SecretFields = {
  url: 'request',
  ...authenticationSecrets,
  proxy: 'proxy',
};

export function validateServer({ url, authentication, proxy }: JsonObject): FieldError[] {
  return validateRequest({
    ...(url === undefined ? {} : { url }),
    ...(authentication === undefined ? {} : { authentication }),
    ...(proxy === undefined ? {} : { proxy }),
  });
}

/** The server of a configuration; null if its URL is invalid. */
export function createServer(ctx: NodeContext, config: ServerConfig): McpServer | null {
  const { url, authentication, proxy, timeout } = config;
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
  return {
    url,
    credentials: createCredentials(ctx, authentication, proxy),
    isAuthenticated: authentication !== undefined,
    ...(proxy === undefined ? {} : { proxy }),
    timeout: (timeout === undefined ? null : parseDuration(timeout)) ?? DEFAULT_TIMEOUT_MS,
  };
}

export const URL_ISSUE = 'must be an http or https URL';
