import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawnService, type SpawnedService } from '../support/service.ts';
import { Browser, createNextAddress, type BrowserResponse } from './browser.ts';
import { freePort } from '../support/servers/free-port.ts';

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };
export const CALLBACK = 'https://app.example.com/cb';

export type TokenSet = { access_token: string; refresh_token: string; scope: string; id_token?: string };
export type Client = { client_id: string; client_secret?: string };
export type OAuthResponse = { status: number; headers: Headers; text: string; body: Record<string, never> };

/** The built service in its own process and data folder, with what a client and a browser do with it. */
export class OAuthServer {
  readonly dataDir: string;
  readonly env: Record<string, string>;
  #service: SpawnedService | null = null;
  #earlierLogs = '';
  origin = '';

  private constructor(dataDir: string, env: Record<string, string>) {
    this.dataDir = dataDir;
    this.env = env;
  }

  static async open(env: Record<string, string> = {}): Promise<OAuthServer> {
    const server = new OAuthServer(await mkdtemp(path.join(tmpdir(), 'weft-oauth-')), env);
    await server.#start(String(await freePort()));
    return server;
  }

  async #start(port: string): Promise<void> {
    this.#service = await spawnService({
      dataDir: this.dataDir,
      env: {
        WEFT_ADMIN_EMAIL: ADMIN.email,
        WEFT_ADMIN_PASSWORD: ADMIN.password,
        WEFT_TRUST_PROXY: 'loopback',
        WEFT_LOG_LEVEL: 'info',
        ...this.env,
        PORT: port,
      },
    });
    this.origin = new URL(this.#service.url).origin;
  }

  /** Everything that the service has printed, across restarts. */
  logs(): string {
    return this.#earlierLogs + (this.#service?.logs() ?? '');
  }

  /** Stops, and starts again at the same address on the same data. */
  async restart(): Promise<void> {
    await this.#service?.stop();
    this.#earlierLogs = this.logs();
    await this.#start(new URL(this.origin).port);
  }

  /** Kills the process, and starts it again at the same address on the same data. */
  async crash(): Promise<void> {
    await this.#service?.kill9();
    this.#earlierLogs = this.logs();
    await this.#start(new URL(this.origin).port);
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    await rm(this.dataDir, { recursive: true });
  }

  async fetch(url: string, init: RequestInit = {}): Promise<OAuthResponse> {
    const response = await fetch(this.origin + url, {
      redirect: 'manual',
      ...init,
      headers: { 'x-forwarded-for': createNextAddress(), ...(init.headers as object) },
    });
    const text = await response.text();
    let body: unknown = null;
    try {
      body = JSON.parse(text);
    } catch {
      // A page.
    }
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (body ?? {}) as Record<string, never>,
    };
  }

  api(method: string, url: string, token: string, body?: unknown): Promise<OAuthResponse> {
    return this.fetch(`/v1${url}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async session({ email, password } = ADMIN): Promise<string> {
    const reply = await this.fetch('/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body['token']!;
  }

  async member(): Promise<{ id: string; email: string; password: string }> {
    const who = { email: `m${randomBytes(6).toString('hex')}@example.com`, password: 'password of a member' };
    const made = await this.api('POST', '/users', await this.session(), who);
    if (made.status !== 201) throw new Error(made.text);
    return { id: made.body['id']!, ...who };
  }

  /** As anybody registers a client. */
  register(metadata: Record<string, unknown> = {}): Promise<OAuthResponse> {
    return this.fetch('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Some app', redirect_uris: [CALLBACK], ...metadata }),
    });
  }

  async openClient(metadata: Record<string, unknown> = {}): Promise<Client> {
    const reply = await this.register(metadata);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body as unknown as Client;
  }

  async ownClient(fields: Record<string, unknown> = {}, who = ADMIN): Promise<Required<Client>> {
    const input = { name: 'Own client', scopes: ['workflows:read'], ...fields };
    const reply = await this.api('POST', '/oauth/clients', await this.session(who), input);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body as unknown as Required<Client>;
  }

  /** A call of an endpoint for clients, with the secret in the header where there is one. */
  post(endpoint: string, client: Client, fields: Record<string, string>): Promise<OAuthResponse> {
    const { client_id: id, client_secret: secret } = client;
    const body = new URLSearchParams(secret === undefined ? { client_id: id, ...fields } : fields);
    const basic = Buffer.from(`${id}:${secret ?? ''}`).toString('base64');
    return this.fetch(`/oauth/${endpoint}`, {
      method: 'POST',
      body,
      ...(secret === undefined ? {} : { headers: { authorization: `Basic ${basic}` } }),
    });
  }

  /** Where a client sends a browser. */
  authorizeUrl(client: Client, fields: Record<string, string | null> = {}, verifier = VERIFIER): string {
    const query = new URLSearchParams();
    const all = {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'workflows:read',
      state: 'st',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...fields,
    };
    for (const [name, value] of Object.entries(all)) if (value !== null) query.set(name, value);
    return `/oauth/authorize?${query.toString()}`;
  }

  /** To the page that asks for consent, over the login where that is asked for. */
  async toConsent(browser: Browser, url: string, who = ADMIN): Promise<BrowserResponse> {
    const page = await browser.open(url);
    return page.text.includes('name="password"') ? browser.press(page, 'login', who) : page;
  }

  /** A code, with everything allowed. */
  async code(client: Client, fields: Record<string, string> = {}, who = ADMIN): Promise<string> {
    const browser = new Browser(this.origin);
    const consent = await this.toConsent(browser, this.authorizeUrl(client, fields), who);
    const { left, text } = await browser.press(consent, 'allow');
    const code = left?.searchParams.get('code');
    if (code == null) throw new Error(`no code: ${left?.href ?? text}`);
    return code;
  }

  exchange(client: Client, code: string, verifier = VERIFIER): Promise<OAuthResponse> {
    return this.post('token', client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
  }

  refresh(client: Client, token: string, fields: Record<string, string> = {}): Promise<OAuthResponse> {
    return this.post('token', client, { grant_type: 'refresh_token', refresh_token: token, ...fields });
  }

  async tokens(client: Client, fields: Record<string, string> = {}, who = ADMIN): Promise<TokenSet> {
    const reply = await this.exchange(client, await this.code(client, fields, who));
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body as unknown as TokenSet;
  }

  /** The status of a request with this token. */
  async status(token: string, url = '/workflows'): Promise<number> {
    return (await this.api('GET', url, token)).status;
  }
}

export const VERIFIER = 'a-verifier-that-is-long-enough-for-the-specification';
