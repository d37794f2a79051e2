import type { FastifyInstance } from 'fastify';
import type { CredentialWatch } from '../../auth/credential-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Admission } from '../admission.ts';
import type { OpenStreams } from '../rest/event-stream.ts';
import { createCallers } from './callers.ts';
import { createDocuments } from './documents.ts';
import { mountGraphql } from './door.ts';
import { createRunner } from './run.ts';
import { createSchema, printedSchema } from './schema.ts';
import type { GraphqlServices } from './services.ts';

export type GraphqlOptions = {
  readonly services: GraphqlServices;
  readonly admission: Admission;
  readonly credentials: CredentialWatch;
  readonly clock: Clock;
  readonly introspection: boolean;
  /** A fault of ours. */
  readonly onFault: (error: unknown) => void;
};

/** The GraphQL door on all of its transports. */
export type Graphql = {
  /** Adds the routes to the server. */
  mount(app: FastifyInstance, streams: OpenStreams): void;
};

export function createGraphql(options: GraphqlOptions): Graphql {
  const { services, admission, credentials, clock, introspection, onFault } = options;
  const { schema, publicFields } = createSchema(services);
  const documents = createDocuments({ schema, publicFields, introspection });
  const runner = createRunner({ schema, introspection, clock, onFault });
  const callers = createCallers(services, clock);
  const sdl = printedSchema(schema);
  return {
    mount: (app, streams) =>
      mountGraphql(app, { documents, runner, callers, admission, credentials, sdl }, streams),
  };
}
