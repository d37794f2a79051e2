import type { McpServer } from '../../contract/ai/mcp.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import type { Json } from '../../lib/json/json.ts';
import { httpFailure } from '../http/http-failure.ts';
import { findAuthorizationServers } from './authorization-servers.ts';
import type { McpChannel } from './mcp-channel.ts';

const MAX_MESSAGE_LENGTH = 2_000;
/** Codes of JSON-RPC: the server failed; the request does not fit. */
const INTERNAL_ERROR = -32_603;

/** The host of a server, for messages. */
export function readHost(server: Pick<McpServer, 'url'>): string {
  return URL.parse(server.url)?.host ?? 'The server';
}

/** The failure for a response to a POST with a status of 400 or more. */
export async function createStatusFailure(
  channel: McpChannel,
  server: McpServer,
  response: Response,
): Promise<HttpFailure> {
  const { status } = response;
  const host = readHost(server);
  const text = await readErrorText(response);
  if (status === 401 || status === 403) {
    const issuers = await findAuthorizationServers(channel, server, response);
    return createFailure(status, describeRefusal(host, server, response, issuers));
  }
  return createFailure(status, `${host} responded with ${status}${text === '' ? '' : `: ${text}`}`, response);
}

function createFailure(status: number, message: string, response?: Response): HttpFailure {
  const seconds = response?.headers.get('retry-after') ?? '';
  return new HttpFailure({
    type: status === 429 ? 'rate_limited' : status < 500 ? 'client_error' : 'server_error',
    message,
    status,
    ...(/^\d{1,9}$/.test(seconds) ? { retryAfter: Number(seconds) * 1_000 } : {}),
  });
}

/** States what a server that refuses the caller needs. */
function describeRefusal(
  host: string,
  { isAuthenticated }: McpServer,
  { status, headers }: Response,
  issuers: readonly string[],
): string {
  const scope = readParameter(headers, 'scope');
  const needed = scope === null ? '' : ` with the scope ${truncateText(scope, MAX_MESSAGE_LENGTH)}`;
  if (status === 403)
    return readParameter(headers, 'error') === 'insufficient_scope'
      ? `${host} responded with 403: authentication needs a token${needed}`
      : `${host} responded with 403: authentication does not allow this request`;
  const place = issuers.length === 0 ? '' : ` of the authorization server ${issuers.join(' or ')}`;
  return isAuthenticated
    ? `${host} responded with 401: authentication was refused. It must have a valid token${place}${needed}`
    : `${host} responded with 401: authentication is required. Use a connection or a token${place}${needed}`;
}

/** A parameter of WWW-Authenticate (RFC 9110 §11.6.1). */
function readParameter(headers: Headers, name: string): string | null {
  const header = headers.get('www-authenticate') ?? '';
  const [, quoted, plain] = new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s,"]+))`).exec(header) ?? [];
  return quoted ?? plain ?? null;
}

/** The message of a JSON-RPC error, or a short text. */
async function readErrorText(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    const value = JSON.parse(text) as { error?: { message?: unknown } };
    const message = value.error?.message;
    if (typeof message === 'string') return truncateText(message, MAX_MESSAGE_LENGTH);
  } catch {
    // It is not valid JSON.
  }
  return /^[^<]{1,500}$/.test(text.trim()) ? text.trim() : '';
}

/**
 * Converts an error of the protocol library to a typed failure. `McpError` has a code of JSON-RPC and a
 * message that begins with it.
 */
export function toFailure(server: McpServer, error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const host = readHost(server);
  const { code, data, message } = readError(error);
  if (error instanceof Error && error.name === 'McpError' && code !== null) {
    const text = truncateText(message.replace(/^MCP error -?\d+: /, ''), MAX_MESSAGE_LENGTH);
    return new HttpFailure({
      type: code === INTERNAL_ERROR ? 'server_error' : 'client_error',
      message: `${host} responded with the error ${code}: ${text}`,
      data: { code, ...(data === undefined ? {} : { data }) },
    });
  }
  return httpFailure(
    'client_error',
    `${host} does not respond as an MCP server: ${truncateText(message, MAX_MESSAGE_LENGTH)}`,
  );
}

function readError(error: unknown): { code: number | null; data: Json | undefined; message: string } {
  const { code, data } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  return {
    code: typeof code === 'number' ? code : null,
    data: data as Json | undefined,
    message: error instanceof Error ? error.message : String(error),
  };
}
