import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { NodeType } from '../../contract/node-type.ts';
import type { RouteGroup } from '../rest/routes.ts';

export type DocumentsOptions = {
  readonly version: string;
  /** The public URL, ending with `/v1`. Known once the server listens. */
  readonly baseUrl: () => string;
  /** The base URL of webhooks, if it has a different origin. */
  readonly webhookBaseUrl?: string | null;
  readonly groups: readonly RouteGroup[];
  readonly nodeTypes: () => readonly NodeType[];
  /** The GraphQL schema in SDL. */
  readonly sdl: () => Promise<string>;
};

type CachedDocument = { type: string; text: Buffer; packed: Buffer; etag: string };

/** The pages load only their styles and their script, and nothing from other origins. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the API documents and the documentation site. Each is created at its first request and cached. */
export function docsPlugin(options: DocumentsOptions): (app: FastifyInstance) => void {
  let cached: { base: string; documents: Promise<ReadonlyMap<string, () => CachedDocument>> } | null = null;
  const loadDocuments = (): Promise<ReadonlyMap<string, () => CachedDocument>> => {
    const base = options.baseUrl();
    if (cached?.base !== base) cached = { base, documents: createDocuments(options, base) };
    return cached.documents;
  };
  return (app) => {
    const serve = (path: string) => async (request: FastifyRequest, reply: FastifyReply) => {
      const response = (await loadDocuments()).get(path.replace(/\/$/, ''));
      if (response === undefined) {
        reply.callNotFound();
        return reply;
      }
      return send(response(), request, reply);
    };
    app.get('/openapi.json', serve('/openapi.json'));
    app.get('/asyncapi.json', serve('/asyncapi.json'));
    app.get('/docs', serve('/docs'));
    app.get('/docs/*', (request, reply) =>
      serve(`/docs/${(request.params as Record<string, string>)['*'] ?? ''}`)(request, reply),
    );
  };
}

/** The generators are loaded at the first request, because most instances never serve a document. */
async function createDocuments(
  options: DocumentsOptions,
  base: string,
): Promise<Map<string, () => CachedDocument>> {
  const [{ buildDocuments }, sdl] = await Promise.all([import('./build-documents.ts'), options.sdl()]);
  const contents = buildDocuments({ ...options, sdl, nodeTypes: options.nodeTypes() }, base);
  return new Map(contents.map(({ path, type, text }) => [path, createLazyDocument(type, text)]));
}

/** Each document is created at its first request, because creating all at once would delay other requests. */
function createLazyDocument(type: string, content: () => string): () => CachedDocument {
  let cached: CachedDocument | null = null;
  return () => {
    if (cached === null) {
      const text = Buffer.from(content());
      const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
      cached = { type, text, packed: gzipSync(text), etag };
    }
    return cached;
  };
}

function send(response: CachedDocument, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: response.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (response.type.startsWith('text/html'))
    reply.headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' });
  if (isMatchingTag(request.headers['if-none-match'], response.etag)) return reply.code(304).send();
  reply.type(response.type);
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(response.text);
  return reply.header('content-encoding', 'gzip').send(response.packed);
}

/** Weak comparison, as RFC 9110 requires for `If-None-Match`. */
function isMatchingTag(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return given.trim() === '*' || given.split(',').some((tag) => opaque(tag) === opaque(etag));
}

function acceptsGzip(accept: string | string[] | undefined): boolean {
  return String(accept ?? '')
    .split(',')
    .some((part) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(part));
}
