import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** How real providers differ. */
export type ProviderBehavior = {
  /** Seconds; null: the response does not say. */
  expiresIn?: number | string | null;
  /** `form`: as GitHub answers; `slack`: {ok: true, …}, and refusals with 200. */
  answers?: 'json' | 'form' | 'slack';
  /** `overlap`: a refresh token is valid until its successor is used, so a lost response does no harm. */
  refreshTokens?: 'rotate' | 'overlap' | 'keep' | 'none';
  /** The use of a refresh token that is no longer good ends all tokens, as after a theft. */
  reuseRevokes?: boolean;
  /** Where the client must prove itself. */
  takes?: 'basic' | 'body' | 'either';
  instanceUrl?: boolean;
  /** Delay of a token response in ms, or a promise to wait for. The token is issued before. */
  wait?: number | Promise<void>;
  scope?: string;
};

export type TokenCall = { form: Record<string, string>; authorization: string | undefined; at: number };

/** An account provider over real HTTP: consent page, token endpoint, and an API that uses the tokens. */
export class Provider {
  quirks: ProviderBehavior;
  url = '';
  readonly tokenCalls: TokenCall[] = [];
  readonly apiCalls: {
    path: string;
    authorization: string | undefined;
    key: string | undefined;
    status: number;
    body: string;
  }[] = [];
  /** What the API accepts in place of a token: a header, a query parameter, or both. */
  accepts: ((request: IncomingMessage, url: URL) => boolean) | null = null;
  /** Answers in place of the token endpoint while it is set. */
  instead: ((response: ServerResponse, form: Record<string, string>) => void) | null = null;
  /** What the API answers to a good token, in place of {ok: true, path}. */
  api: ((request: IncomingMessage, body: string) => { status?: number; body: unknown }) | null = null;
  readonly #codes = new Map<string, { challenge: string | null; redirect: string }>();
  readonly #access = new Set<string>();
  readonly #refresh = new Set<string>();
  /** With `overlap`: the refresh token that a token has replaced, until the token is used. */
  readonly #replaced = new Map<string, string>();
  /** Refresh tokens that were used, and then used again. */
  reused = 0;
  #count = 0;
  #server = createServer((request, response) => void this.#serve(request, response));

  constructor(quirks: ProviderBehavior = {}) {
    this.quirks = quirks;
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get settings() {
    return {
      authorization_url: `${this.url}/authorize`,
      token_url: `${this.url}/token`,
      client_id: 'weft-app',
      client_secret: 'canary-client-secret',
    };
  }

  /** All tokens that are good now stop being so. */
  revokeAccess(): void {
    this.#access.clear();
  }
  revokeAll(): void {
    this.#access.clear();
    this.#refresh.clear();
  }
  get refreshes(): TokenCall[] {
    return this.tokenCalls.filter(({ form }) => form['grant_type'] === 'refresh_token');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? '/', this.url);
    if (url.pathname === '/authorize') return this.#authorize(url, response);
    if (url.pathname === '/token') {
      const form = Object.fromEntries(new URLSearchParams(body));
      this.tokenCalls.push({ form, authorization: request.headers.authorization, at: performance.now() });
      if (this.instead !== null) return this.instead(response, form);
      return this.#token(request, form, response);
    }
    this.#serveApi(request, url, body, response);
  }

  #authorize(url: URL, response: ServerResponse): void {
    const redirect = url.searchParams.get('redirect_uri') ?? '';
    const code = `canary-code-${++this.#count}`;
    this.#codes.set(code, { challenge: url.searchParams.get('code_challenge'), redirect });
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  #token(request: IncomingMessage, form: Record<string, string>, response: ServerResponse): void {
    const { takes = 'either', refreshTokens = 'rotate' } = this.quirks;
    const basic = `Basic ${Buffer.from('weft-app:canary-client-secret').toString('base64')}`;
    const byBasic = request.headers.authorization === basic;
    const byBody = form['client_id'] === 'weft-app' && form['client_secret'] === 'canary-client-secret';
    if (!((byBasic && takes !== 'body') || (byBody && takes !== 'basic')))
      return this.#refuse(response, 401, 'invalid_client');
    if (form['grant_type'] === 'authorization_code') {
      const code = this.#codes.get(form['code'] ?? '');
      this.#codes.delete(form['code'] ?? '');
      const proof = createHash('sha256')
        .update(form['code_verifier'] ?? '')
        .digest('base64url');
      if (code === undefined || code.redirect !== form['redirect_uri'])
        return this.#refuse(response, 400, 'invalid_grant');
      if (code.challenge !== null && code.challenge !== proof)
        return this.#refuse(response, 400, 'invalid_grant');
    } else if (form['grant_type'] === 'refresh_token') {
      const token = form['refresh_token'] ?? '';
      if (!this.#refresh.has(token)) {
        this.reused++;
        if (this.quirks.reuseRevokes === true) this.revokeAll();
        return this.#refuse(response, 400, 'invalid_grant', `${token} is not good`);
      }
      if (refreshTokens === 'rotate') this.#refresh.delete(token);
      if (refreshTokens === 'overlap') this.#endReplaced(token);
    }
    this.#give(response, form['grant_type'] !== 'client_credentials', form['refresh_token']);
  }

  #endReplaced(token: string): void {
    this.#refresh.delete(this.#replaced.get(token) ?? '');
    this.#replaced.delete(token);
  }

  #give(response: ServerResponse, withRefresh: boolean, used?: string): void {
    const { expiresIn = 3600, refreshTokens = 'rotate', instanceUrl, wait = 0, scope } = this.quirks;
    const n = ++this.#count;
    const access = `canary-access-${n}`;
    this.#access.add(access);
    const fields: Record<string, unknown> = { access_token: access, token_type: 'bearer' };
    if (expiresIn !== null) fields['expires_in'] = expiresIn;
    const replaces = refreshTokens === 'rotate' || refreshTokens === 'overlap';
    if (withRefresh && refreshTokens !== 'none' && (replaces || this.#refresh.size === 0)) {
      const refresh = `canary-refresh-${n}`;
      this.#refresh.add(refresh);
      fields['refresh_token'] = refresh;
      if (refreshTokens === 'overlap' && used !== undefined)
        for (const token of [refresh, access]) this.#replaced.set(token, used);
    }
    if (instanceUrl === true) fields['instance_url'] = this.url;
    if (scope !== undefined) fields['scope'] = scope;
    if (this.quirks.answers === 'slack') fields['ok'] = true;
    void (typeof wait === 'number' ? setTimeout(wait) : wait).then(() => this.#send(response, 200, fields));
  }

  #refuse(response: ServerResponse, status: number, error: string, description?: string): void {
    const fields = { error, ...(description === undefined ? {} : { error_description: description }) };
    if (this.quirks.answers === 'slack') this.#send(response, 200, { ok: false, ...fields });
    else this.#send(response, this.quirks.answers === 'form' ? 200 : status, fields);
  }

  #send(response: ServerResponse, status: number, fields: Record<string, unknown>): void {
    if (this.quirks.answers === 'form')
      response
        .writeHead(status, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' })
        .end(new URLSearchParams(fields as Record<string, string>).toString());
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields));
  }

  #serveApi(request: IncomingMessage, url: URL, body: string, response: ServerResponse): void {
    const { authorization } = request.headers;
    const isGood =
      this.accepts?.(request, url) ?? this.#access.has(authorization?.replace(/^Bearer /, '') ?? '');
    const { status = 200, body: reply } = !isGood
      ? { status: 401, body: { error: 'bad token' } }
      : (this.api?.(request, body) ?? { body: { ok: true, path: url.pathname, seen: authorization } });
    if (isGood) this.#endReplaced(authorization?.replace(/^Bearer /, '') ?? '');
    const key = [request.headers['x-key']].flat()[0];
    this.apiCalls.push({ path: url.pathname + url.search, authorization, key, status, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  }
}
