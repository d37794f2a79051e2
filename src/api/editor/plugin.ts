import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError, notFound } from '../../contract/errors.ts';
import { chooseEncoding } from './encoding.ts';

/** The files of the built editor, by name; null: there is none of that name. */
export type EditorFiles = {
  read(name: string): Promise<Buffer | null>;
  /** ms since the epoch. */
  changedAt(name: string): Promise<number | null>;
};

export type EditorPlugin = {
  /** Adds `/` and `/assets/…`. */
  mount(app: FastifyInstance): void;
  /** Answers with the page where a browser goes to one of the page's own addresses; false: it is none. */
  fallback(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
};

/** Everything comes from this origin, no script and no style stands in the page, and nobody frames it. */
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

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Only names that the build makes; none of them can leave the folder. */
const ASSET = /^[\w.-]+-[A-Z0-9]{8}\.(js|css|svg|woff2)$/;

/** What answers for itself: below these an unknown path is an error for programs, not a page. */
const NOT_PAGES = /^\/(?:v1|oauth|\.well-known|metrics|assets)(?:\/|$)/;

/** The editor at `/`, from the files of its build. They are read when they are first asked for, and kept. */
export function createEditorPlugin(files: EditorFiles): EditorPlugin {
  const kept = new Map<string, Buffer>();
  let page: { changedAt: number; html: Buffer; etag: string } | null = null;

  async function keep(name: string): Promise<Buffer | null> {
    const there = kept.get(name) ?? (await files.read(name));
    if (there !== null) kept.set(name, there);
    return there;
  }

  async function sendAsset(
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const type = ASSET.test(name) ? TYPES[name.slice(name.lastIndexOf('.') + 1)] : undefined;
    if (type === undefined) throw notFound('file');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const packed = encoding === null ? null : await keep(`assets/${name}.${encoding === 'br' ? 'br' : 'gz'}`);
    const plain = packed === null ? await keep(`assets/${name}`) : null;
    const body = packed ?? plain;
    if (body === null) throw notFound('file');
    if (packed !== null && encoding !== null) reply.header('content-encoding', encoding);
    // The name changes with the contents.
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
    return reply.type(type).send(body);
  }

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const changedAt = await files.changedAt('index.html');
    if (changedAt === null) throw notBuilt();
    if (page?.changedAt !== changedAt) {
      const html = await files.read('index.html');
      if (html === null) throw notBuilt();
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
      // A browser that goes somewhere asks for HTML; programs, images and scripts do not.
      if (NOT_PAGES.test(path) || /\.[^/]*$/.test(path)) return false;
      if (!(request.headers.accept ?? '').includes('text/html')) return false;
      if ((await files.changedAt('index.html')) === null) return false;
      await sendPage(request, reply);
      return true;
    },
  };
}

function notBuilt(): WeftError {
  return new WeftError('NOT_FOUND', 'The editor is not built: run "npm run build".');
}
