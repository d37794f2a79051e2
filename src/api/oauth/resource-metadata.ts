import type { FastifyInstance } from 'fastify';
import { resourcePaths } from '../../auth/oauth/paths.ts';
import { scopes } from '../../contract/scopes.ts';

const PATH = '/.well-known/oauth-protected-resource';

/**
 * Adds the metadata of the API as a protected resource (RFC 9728). The path contains the path of the
 * resource.
 */
export function mountResourceMetadata(app: FastifyInstance, origin: () => string): void {
  for (const resource of resourcePaths) {
    app.get(`${PATH}${resource}`, (_request, reply) =>
      reply
        .header('access-control-allow-origin', '*')
        .type('application/json; charset=utf-8')
        .send(
          JSON.stringify({
            resource: `${origin()}${resource}`,
            resource_name: 'Weft',
            authorization_servers: [origin()],
            scopes_supported: [...scopes],
            bearer_methods_supported: ['header'],
            resource_documentation: `${origin()}/v1/docs`,
          }),
        ),
    );
  }
}
