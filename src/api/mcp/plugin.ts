import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Admission } from '../http/admission.ts';
import { WeftError } from '../../contract/errors.ts';
import { createAdmit } from '../http/request-handler.ts';
import { sendError } from '../http/errors.ts';
import type { McpOptions } from './create-mcp.ts';

const PATH = '/v1/mcp';

export type McpPluginOptions = Omit<McpOptions, 'leaving'> & { readonly admission: Admission };

/**
 * The MCP server at `/v1/mcp`. The library is loaded with the first request, because it needs memory. A request without a
 * credential learns where to get one (RFC 9728).
 */
export function mcpPlugin(options: McpPluginOptions): (app: FastifyInstance) => void {
  const leaving = new AbortController();
  let made: Promise<McpHttpHandler> | null = null;
  const load = (): Promise<McpHttpHandler> =>
    (made ??= import('./create-mcp.ts').then(({ createMcp }) =>
      createMcp({ ...options, leaving: leaving.signal }),
    ));
  const admit = createAdmit(options.admission);

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { principal } = request;
    if (principal === null) throw new WeftError('UNAUTHORIZED');
    const { fetch } = await load();
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (name !== 'authorization' && name !== 'x-api-key' && name !== 'cookie' && value !== undefined)
        headers.set(name, String(value));
    const response = await fetch(
      new Request(new URL(PATH, options.baseUrl()), {
        method: request.method,
        headers,
        signal: left.signal,
        ...(request.method === 'POST' && { body: '{}' }),
      }),
      {
        parsedBody: request.body,
        authInfo: { token: '', clientId: principal.userId, scopes: [], extra: { principal } },
      },
    );
    return reply.header('cache-control', 'no-store').send(response);
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof WeftError && error.code === 'UNAUTHORIZED') {
      const metadata = new URL('/.well-known/oauth-protected-resource/v1/mcp', options.baseUrl());
      reply.header('www-authenticate', `Bearer realm="weft", resource_metadata="${metadata.href}"`);
    }
    sendError(error, request, reply);
  }

  return (app) => {
    app.addHook('preClose', (done) => {
      leaving.abort();
      done();
    });
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: PATH,
      onRequest: admit,
      handler: serve,
      errorHandler: fail,
    });
    app.options(PATH, (_request, reply) =>
      reply.header('allow', 'GET, POST, DELETE, OPTIONS').code(200).send(''),
    );
  };
}
