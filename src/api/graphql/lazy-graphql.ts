import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../ports/limits.ts';
import type { OpenStreams } from '../http/event-stream.ts';
import type { SocketApi } from '../websocket/socket-plugin.ts';
import type { Graphql, GraphqlOptions } from './create-graphql.ts';

const PATH = '/v1/graphql';

export type LazyGraphql = {
  /** Adds the routes to the server. */
  readonly mount: (app: FastifyInstance, streams: OpenStreams) => void;
  /** The WebSocket at the same path. */
  readonly socket: SocketApi;
  /** The schema as text. */
  sdl(): Promise<string>;
};

/** The GraphQL door, loaded at its first use: the library and the schema are a good part of what the service would weigh idle. */
export function lazyGraphql(options: GraphqlOptions): LazyGraphql {
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
      app.post(PATH, { bodyLimit: limits.graphqlBody, handler, errorHandler });
      app.get(PATH, { handler, errorHandler });
      app.options(PATH, (_request, reply) =>
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
        // What the client says meanwhile waits in the connection.
        socket.pause();
        load().then(
          ({ socket: door }) => {
            door.accept(socket, peer);
            socket.resume();
          },
          (error: unknown) => {
            options.onFault(error);
            socket.terminate();
          },
        );
      },
    },
  };
}
