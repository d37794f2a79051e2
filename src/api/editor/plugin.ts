import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError, createNotFoundError } from '../../contract/errors.ts';
import { chooseEncoding } from './encoding.ts';

/** The files of the built editor by name; null when a file does not exist. */
export type EditorFiles = {
  read(name: string): Promise<Buffer | null>;
  /** Time of the last change in ms since the epoch. */
  changedAt(name: string): Promise<number | null>;
};

export type EditorPlugin = {
  /** Adds the routes `/` and `/assets/…`. */
  mount(app: FastifyInstance): void;
  /** Sends the editor's page for a navigation to one of its paths; false for any other request. */
  fallback(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
};

/** Allows only content from this origin, without inline scripts and styles, and no framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Names that the build creates; they cannot leave the folder. */
const ASSET_NAME = /^[\w.-]+-[A-Z0-9]{8}\.(js|css|svg|woff2)$/;

/** Paths of the APIs, below which an unknown path is an error and not a page of the editor. */
const API_PATHS = /^\/(?:v1|oauth|\.well-known|metrics|assets)(?:\/|$)/;

/** Serves the built editor at `/`. Files are read at their first request and cached. */
export function createEditorPlugin(files: EditorFiles): EditorPlugin {
  const kept = new Map<string, Buffer>();
  let page: { changedAt: number; html: Buffer; etag: string } | null = null;

  async function load(name: string): Promise<Buffer | null> {
    const there = kept.get(name) ?? (await files.read(name));
    if (there !== null) kept.set(name, there);
    return there;
  }

  async function sendAsset(
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const type = ASSET_NAME.test(name) ? CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] : undefined;
    if (type === undefined) throw createNotFoundError('file');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const packed = encoding === null ? null : await load(`assets/${name}.${encoding === 'br' ? 'br' : 'gz'}`);
    const plain = packed === null ? await load(`assets/${name}`) : null;
    const body = packed ?? plain;
    if (body === null) throw createNotFoundError('file');
    if (packed !== null && encoding !== null) reply.header('content-encoding', encoding);
    // The name changes with the content.
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
    return reply.type(type).send(body);
  }

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const changedAt = await files.changedAt('index.html');
    if (changedAt === null) throw createNotBuiltError();
    if (page?.changedAt !== changedAt) {
      const html = await files.read('index.html');
      if (html === null) throw createNotBuiltError();
      const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
      page = { changedAt, html, etag };
    }
    reply.headers({
      etag: page.etag,
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'referrer-policy': 'no-referrer',
    });
    const given = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (given?.includes(page.etag) === true) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page.html);
  }

  return {
    mount(app) {
      app.get('/', (request, reply) => sendPage(request, reply));
      app.get('/assets/:name', (request, reply) =>
        sendAsset((request.params as { name: string }).name, request, reply),
      );
    },
    async fallback(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false;
      const path = request.url.split('?', 1)[0] ?? '';
      // Browsers accept HTML when they navigate; programs, images and scripts do not.
      if (API_PATHS.test(path) || /\.[^/]*$/.test(path)) return false;
      if (!(request.headers.accept ?? '').includes('text/html')) return false;
      if ((await files.changedAt('index.html')) === null) return false;
      await sendPage(request, reply);
      return true;
    },
  };
}

function createNotBuiltError(): WeftError {
  return new WeftError('NOT_FOUND', 'The editor is not built. Run "npm run build".');
}
