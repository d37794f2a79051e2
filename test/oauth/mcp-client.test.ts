import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { CALLBACK, OAuthServer } from './oauth-server.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await OAuthServer.open();
});
afterAll(() => server.close());

/** A client that knows only the URL of the MCP server, and its user. */
class Assistant implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
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
}

test('an assistant finds the authorization server, registers, asks for consent, and lists the tools', async () => {
  const assistant = new Assistant();
  const connect = () => {
    const client = new Client(
      { name: 'assistant', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    );
    const transport = new StreamableHTTPClientTransport(new URL('/v1/mcp', server.origin), {
      authProvider: assistant,
    });
    return { client, transport };
  };
  const first = connect();
  await expect(first.client.connect(first.transport)).rejects.toThrow(/Unauthorized/);
  const { authorization } = assistant;
  expect(authorization?.searchParams.get('resource')).toBe(`${server.origin}/v1/mcp`);

  const browser = new Browser(server.origin);
  const consent = await server.toConsent(browser, authorization!.pathname + authorization!.search);
  expect(consent.text).toContain('Assistant');
  const { left } = await browser.press(consent, 'allow');
  await first.transport.finishAuth(left!.searchParams);

  const second = connect();
  await second.client.connect(second.transport);
  const { tools } = await second.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('weft_create_workflow');
  await second.client.close();
});

test('a resource of another service is refused', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  for (const [resource, error] of [
    ['https://other.example.com/mcp', 'invalid_target'],
    [`${server.origin}/v1/mcp`, null],
    [server.origin, null],
  ] as const) {
    const seen = await browser.open(server.authorizeUrl(client, { resource }));
    expect(seen.left?.searchParams.get('error') ?? null).toBe(error);
  }
});
