import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { CALLBACK } from './oauth-server.ts';

/** A client that knows only the URL of the MCP server, and its user. */
export class Assistant implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  declare readonly clientMetadataUrl?: string;
  readonly clientMetadata = { client_name: 'Assistant', redirect_uris: [CALLBACK] };
  authorization: URL | null = null;
  readonly #saved = new Map<string, never>();

  clientInformation = () => this.#saved.get('client');
  saveClientInformation = (client: object): void => void this.#saved.set('client', client as never);
  tokens = () => this.#saved.get('tokens');
  saveTokens = (tokens: object): void => void this.#saved.set('tokens', tokens as never);
  codeVerifier = (): string => this.#saved.get('verifier')!;
  saveCodeVerifier = (verifier: string): void => void this.#saved.set('verifier', verifier as never);
  saveDiscoveryState = (state: object): void => void this.#saved.set('discovery', state as never);
  discoveryState = () => this.#saved.get('discovery');
  redirectToAuthorization = (url: URL): void => void (this.authorization = url);

  /** With `clientMetadataUrl`, the client has this URL as its id and does not register. */
  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  connect(origin: string) {
    const client = new Client(
      { name: 'assistant', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    );
    const transport = new StreamableHTTPClientTransport(new URL('/v1/mcp', origin), { authProvider: this });
    return { client, transport };
  }
}
