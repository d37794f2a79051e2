import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createTempFolder } from '../support/service.ts';
import {
  loopbackCertificate,
  loopbackKey,
  writeLoopbackCertificate,
} from '../support/servers/tls-certificates.ts';
import { Browser, type BrowserResponse } from './browser.ts';
import { CALLBACK, OAuthServer } from './oauth-server.ts';

type Respond = (request: IncomingMessage, response: ServerResponse, url: string) => void;

/** A website on https://127.0.0.1 with the metadata documents of clients. */
export class DocumentHost {
  readonly #documents = new Map<string, Respond>();
  readonly #server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    this.received.push(request.url ?? '');
    this.pending++;
    this.maxPending = Math.max(this.maxPending, this.pending);
    response.once('close', () => this.pending--);
    const respond = this.#documents.get(request.url ?? '');
    if (respond === undefined) response.writeHead(404).end();
    else respond(request, response, this.origin + request.url!);
  });
  readonly received: string[] = [];
  pending = 0;
  maxPending = 0;
  port = 0;

  get origin(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Until the next `listen`, connections are refused. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Adds a path with its response; returns its URL. */
  serve(path: string, respond: Respond): string {
    this.#documents.set(path, respond);
    return this.origin + path;
  }

  /** Adds a valid document, with other or further `fields`; returns its URL. */
  publish(path: string, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}): string {
    return this.serve(path, (_request, response, url) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(createDocument(url, fields)));
    });
  }

  countFetches(path: string): number {
    return this.received.filter((one) => one === path).length;
  }
}

export function createDocument(url: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { client_id: url, client_name: 'Document app', redirect_uris: [CALLBACK], ...fields };
}

/** A service that trusts and may call a host of documents. Each test has its own `path` there. */
export function useDocumentHost() {
  const folder = createTempFolder();
  const host = new DocumentHost();
  let server: OAuthServer | null = null;
  let count = 0;
  beforeAll(async () => {
    await host.listen();
    server = await OAuthServer.open({
      NODE_EXTRA_CA_CERTS: writeLoopbackCertificate(folder.path),
      WEFT_ALLOWED_HOSTS: '127.0.0.1',
    });
  });
  afterAll(async () => {
    expect(server?.logs()).not.toMatch(/oidc-provider (notice|warning)/i);
    await server?.close();
    await host.close();
    folder.remove();
  });
  beforeEach(() => void count++);
  return {
    host,
    get server(): OAuthServer {
      return server!;
    },
    get path(): string {
      return `/client-${count}.json`;
    },
    /** Opens the page to which a client with this id sends a browser. */
    authorize: (id: string): Promise<BrowserResponse> =>
      new Browser(server!.origin).open(server!.authorizeUrl({ client_id: id })),
  };
}
