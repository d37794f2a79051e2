import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { NodeType } from '../../contract/node-type.ts';
import type { RouteGroup } from '../rest/routes.ts';

export type DocumentsOptions = {
  readonly version: string;
  /** Where callers reach the service, ending with `/v1`. Known once it listens. */
  readonly baseUrl: () => string;
  /** The same for webhooks, where they have an origin of their own. */
  readonly webhookBaseUrl?: string | null;
  readonly groups: readonly RouteGroup[];
  readonly nodeTypes: () => readonly NodeType[];
  /** The GraphQL schema as text. */
  readonly sdl: () => Promise<string>;
};

type Answer = { type: string; text: Buffer; packed: Buffer; etag: string };

/** The pages load their stylesheet and their script from here, and nothing else from anywhere. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The documents of the interface, for programs and for people. Each is made at the first request and then kept. */
export function docsPlugin(options: DocumentsOptions): (app: FastifyInstance) => void {
  let made: { base: string; answers: Promise<ReadonlyMap<string, () => Answer>> } | null = null;
  const answers = (): Promise<ReadonlyMap<string, () => Answer>> => {
    const base = options.baseUrl();
    if (made?.base !== base) made = { base, answers: answersOf(options, base) };
    return made.answers;
  };
  return (app) => {
    const serve = (path: string) => async (request: FastifyRequest, reply: FastifyReply) => {
      const answer = (await answers()).get(path.replace(/\/$/, ''));
      if (answer === undefined) {
        reply.callNotFound();
        return reply;
      }
      return send(answer(), request, reply);
    };
    app.get('/openapi.json', serve('/openapi.json'));
    app.get('/asyncapi.json', serve('/asyncapi.json'));
    app.get('/docs', serve('/docs'));
    app.get('/docs/*', (request, reply) =>
      serve(`/docs/${(request.params as Record<string, string>)['*'] ?? ''}`)(request, reply),
    );
  };
}

/** What makes them is loaded with the first request: most instances are never asked. */
async function answersOf(options: DocumentsOptions, base: string): Promise<Map<string, () => Answer>> {
  const [{ buildDocuments: contentsOf }, sdl] = await Promise.all([
    import('./build-documents.ts'),
    options.sdl(),
  ]);
  const contents = contentsOf({ ...options, sdl, nodeTypes: options.nodeTypes() }, base);
  return new Map(contents.map(({ path, type, text }) => [path, answerOf(type, text)]));
}

/** Made once, when it is first asked for: to make all of them at once would hold up the others' requests. */
function answerOf(type: string, content: () => string): () => Answer {
  let made: Answer | null = null;
  return () => {
    if (made === null) {
      const text = Buffer.from(content());
      const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
      made = { type, text, packed: gzipSync(text), etag };
    }
    return made;
  };
}

function send(answer: Answer, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: answer.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (answer.type.startsWith('text/html'))
    reply.headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' });
  if (matches(request.headers['if-none-match'], answer.etag)) return reply.code(304).send();
  reply.type(answer.type);
  if (!takesGzip(request.headers['accept-encoding'])) return reply.send(answer.text);
  return reply.header('content-encoding', 'gzip').send(answer.packed);
}

/** Weakly, as RFC 9110 has it for `If-None-Match`. */
function matches(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return given.trim() === '*' || given.split(',').some((tag) => opaque(tag) === opaque(etag));
}

function takesGzip(accept: string | string[] | undefined): boolean {
  return String(accept ?? '')
    .split(',')
    .some((part) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(part));
}
