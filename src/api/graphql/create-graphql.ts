import type { Authenticate } from '../../auth/credentials.ts';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Admission } from '../http/admission.ts';
import type { SessionCookies } from '../http/session-cookie.ts';
import type { SocketApi } from '../websocket/socket-plugin.ts';
import { createRequestContexts } from './request-contexts.ts';
import { createDocuments } from './documents.ts';
import { createHttpPlugin, type HttpPlugin } from './plugin.ts';
import { createRunner } from './run.ts';
import { createSchema, printSchemaSorted } from './schema/schema.ts';
import type { GraphqlServices } from './services.ts';
import { createGraphqlSocket } from './transport/websocket.ts';

export type GraphqlOptions = {
  readonly services: GraphqlServices;
  readonly authenticate: Authenticate;
  readonly cookies: SessionCookies;
  readonly admission: Admission;
  readonly credentials: CredentialExpiryWatcher;
  readonly clock: Clock;
  readonly introspection: boolean;
  /** Called for internal errors. */
  readonly onError: (error: unknown) => void;
};

/** The GraphQL API for all transports. */
export type Graphql = {
  readonly http: HttpPlugin;
  readonly socket: SocketApi;
  /** The schema in SDL. */
  readonly sdl: string;
};

export function createGraphql(options: GraphqlOptions): Graphql {
  const { services, admission, credentials, clock, introspection, onError } = options;
  const { schema, publicFields } = createSchema(services);
  const documents = createDocuments({ schema, publicFields, introspection });
  const runner = createRunner({ schema, introspection, clock, onError });
  const callers = createRequestContexts(services, clock);
  return {
    sdl: printSchemaSorted(schema),
    socket: createGraphqlSocket({
      schema,
      documents,
      runner,
      callers,
      authenticate: options.authenticate,
      cookies: options.cookies,
      admission,
      credentials,
      clock,
      onError,
    }),
    http: createHttpPlugin({ documents, runner, callers, admission, credentials }),
  };
}
