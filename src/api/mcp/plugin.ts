import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Admission } from '../http/admission.ts';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { createValidationError, WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';
import { createAdmit } from '../http/request-handler.ts';
import { sendError } from '../http/errors.ts';
import { createRequestSlots } from '../http/request-slots.ts';
import type { McpOptions } from './create-mcp.ts';

const PATH = '/v1/mcp';
type McpHandler = Pick<McpHttpHandler, 'fetch'>;

/** Not passed on: the library does not check credentials. */
const CREDENTIAL_HEADERS = new Set(['authorization', 'x-api-key', 'cookie']);

export type McpPluginOptions = Omit<McpOptions, 'stopping'> & {
  readonly admission: Admission;
  /** Ends requests whose credential expires or is revoked. */
  readonly credentials: CredentialExpiryWatcher;
};

/**
 * The MCP server at `/v1/mcp`. The library is loaded with the first request, because it needs memory. A
 * request without a credential learns where to get one (RFC 9728).
 */
export function mcpPlugin(options: McpPluginOptions): (app: FastifyInstance) => void {
  const stopping = new AbortController();
  let handler: McpHandler | null = null;
  async function load(): Promise<McpHandler> {
    const { createMcp } = await import('./create-mcp.ts');
    return (handler ??= createMcp({ ...options, stopping: stopping.signal }));
  }
  const admit = createAdmit(options.admission);

  const slots = createRequestSlots({
    total: limits.mcpRequests,
    perUser: limits.mcpRequestsPerUser,
    message: 'Too many requests to the MCP server are open.',
  });

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { principal } = request;
    if (principal === null) throw new WeftError('UNAUTHORIZED');
    // Each request counts against the rate limit, so one must not contain several.
    if (Array.isArray(request.body))
      throw createValidationError([{ field: 'body', issue: 'must be one message, not a batch' }]);
    const leave = slots.enter(principal);
    const ended = new AbortController();
    const stopWatching = options.credentials.watch(principal, () => ended.abort());
    // Kept until the response ends: the signal of a Request that was collected is never aborted.
    let call: Request | null = null;
    // Also called for a client that disconnected before this request was admitted.
    finished(reply.raw, () => {
      leave();
      stopWatching();
      ended.abort();
      call = null;
    });
    const { fetch } = await load();
    call = new Request(new URL(PATH, options.baseUrl()), {
      method: request.method,
      headers: readHeaders(request),
      signal: ended.signal,
      // The library requires a body, but uses `parsedBody` instead.
      ...(request.method === 'POST' && { body: '{}' }),
    });
    const response = await fetch(call, {
      parsedBody: request.body,
      authInfo: { token: '', clientId: principal.userId, scopes: [], extra: { principal } },
    });
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
      stopping.abort();
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

function readHeaders({ headers }: FastifyRequest): Headers {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (!CREDENTIAL_HEADERS.has(name) && value !== undefined) passed.set(name, String(value));
  return passed;
}
