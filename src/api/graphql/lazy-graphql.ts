import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../ports/limits.ts';
import type { OpenStreams } from '../http/event-stream.ts';
import type { SocketApi } from '../websocket/socket-plugin.ts';
import type { Graphql, GraphqlOptions } from './create-graphql.ts';

const GRAPHQL_PATH = '/v1/graphql';

export type LazyGraphql = {
  /** Adds the routes to the server. */
  readonly mount: (app: FastifyInstance, streams: OpenStreams) => void;
  /** The WebSocket API at the same path. */
  readonly socket: SocketApi;
  /** The schema in SDL. */
  sdl(): Promise<string>;
};

/** Loads the GraphQL API at its first use, because the library and the schema need much memory. */
export function createLazyGraphql(options: GraphqlOptions): LazyGraphql {
  let made: Promise<Graphql> | null = null;
  const load = (): Promise<Graphql> =>
    (made ??= import('./create-graphql.ts').then(({ createGraphql }) => createGraphql(options)));

  return {
    sdl: async () => (await load()).sdl,

    mount(app, streams) {
      const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
        (await load()).http.serve(request, reply, streams);
      const errorHandler = async (
        error: unknown,
        request: FastifyRequest,
        reply: FastifyReply,
      ): Promise<FastifyReply> => {
        (await load()).http.fail(error, request, reply);
        return reply;
      };
      app.post(GRAPHQL_PATH, { bodyLimit: limits.graphqlBodyBytes, handler, errorHandler });
      app.get(GRAPHQL_PATH, { handler, errorHandler });
      app.options(GRAPHQL_PATH, (_request, reply) =>
        reply.header('allow', 'GET, HEAD, POST, OPTIONS').code(200).send(''),
      );
      app.get('/v1/schema.graphql', async (_request, reply) =>
        reply
          .type('text/plain; charset=utf-8')
          .header('cache-control', 'public, max-age=300')
          .send((await load()).sdl),
      );
    },

    socket: {
      protocols: ['graphql-transport-ws'],
      accept(socket, peer) {
        // Messages that arrive while loading are buffered by the paused socket.
        socket.pause();
        load().then(
          ({ socket: api }) => {
            api.accept(socket, peer);
            socket.resume();
          },
          (error: unknown) => {
            options.onError(error);
            socket.terminate();
          },
        );
      },
    },
  };
}
