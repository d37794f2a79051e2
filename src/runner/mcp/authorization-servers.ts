import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js';
import type { McpServer } from '../../contract/ai/mcp.ts';
import type { McpChannel } from './mcp-channel.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_SERVERS = 3;

/**
 * The authorization servers that the metadata of a protected resource (RFC 9728) names; empty when there is
 * none. The metadata is read without the credentials of the server.
 */
export async function findAuthorizationServers(
  channel: McpChannel,
  server: McpServer,
  response: Response,
): Promise<string[]> {
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  const fetch = async (url: string | URL): Promise<Response> => {
    const { status, body } = await channel.send(
      {
        method: 'GET',
        url: String(url),
        headers: { accept: 'application/json' },
        timeout: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        ...(server.proxy === undefined ? {} : { proxy: server.proxy }),
      },
      channel.signal,
      () => null,
    );
    return new Response(status === 204 ? null : (body as Uint8Array<ArrayBuffer>), { status });
  };
  try {
    const metadata = await discoverOAuthProtectedResourceMetadata(
      server.url,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      fetch,
    );
    return (metadata.authorization_servers ?? []).slice(0, MAX_SERVERS);
  } catch {
    // The server does not state it, or the egress policy does not allow the address.
    return [];
  }
}
