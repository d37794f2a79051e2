import { GraphQLError, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Authenticate } from '../../../auth/credentials.ts';
import type { CredentialExpiryWatcher } from '../../../auth/credential-expiry-watcher.ts';
import { WeftError, validationError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import { isObject } from '../../../lib/json/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { limits } from '../../../ports/limits.ts';
import { requireWithinLimit } from '../../../services/accounts/rate-limit.service.ts';
import type { Admission } from '../../http/admission.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import type { SessionCookies } from '../../http/session-cookie.ts';
import { createMessageRate } from '../../websocket/message-rate.ts';
import { full } from '../../websocket/connection-limits.ts';
import type { Peer, SocketApi } from '../../websocket/socket-plugin.ts';
import type { RequestContext } from '../request-context.ts';
import type { RequestContexts } from '../request-contexts.ts';
import type { Documents, PreparedOperation } from '../documents.ts';
import { RequestError, showWeftError, type ShownError } from '../request-error.ts';
import { readRequest, type Runner, type Variables } from '../run.ts';
import { createSocketWriter } from './websocket-writer.ts';

export type GraphqlSocketDeps = {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly runner: Runner;
  readonly callers: RequestContexts;
  readonly authenticate: Authenticate;
  readonly cookies: Pick<SessionCookies, 'readOfUpgrade'>;
  readonly admission: Pick<Admission, 'count'>;
  readonly credentials: CredentialExpiryWatcher;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
};

/** ms until `connection_init` must have come. */
const INIT_TIMEOUT = 10_000;
/** The client is too slow, sends too much, or has too many connections open: as on `/v1/ws`. */
const TOO_MUCH = 4429;

/** The library takes these from a client as a fault of the service. */
const serverTypes: ReadonlySet<unknown> = new Set(['connection_ack', 'next', 'error']);

/** One client: who it is, and what it runs on. */
type Session = {
  readonly socket: WebSocket;
  readonly peer: Peer;
  principal: Principal | null;
  unwatch: () => void;
};
/** One operation, from its message to its answers. */
type Job = {
  readonly operation: PreparedOperation;
  readonly variables: Variables;
  readonly caller: RequestContext;
};

/**
 * `graphql-transport-ws` at the path of the door. `connection_init` carries the credential, unless the request has the session cookie; it is refused, and a connection
 * whose credential ends is closed, with 4403: a client may come again with another one.
 */
export function graphqlSocket(deps: GraphqlSocketDeps): SocketApi {
  const { schema, documents, runner, callers, admission, credentials, clock, onFault } = deps;

  const server = makeServer<Record<string, unknown> | undefined, Session>({
    schema,
    connectionInitWaitTimeout: INIT_TIMEOUT,
    async onConnect({ connectionParams, extra: session }) {
      const { authorization, apiKey } = credentialOf(connectionParams);
      const hasParameter = authorization !== undefined || apiKey !== undefined;
      const principal = await deps.authenticate({
        authorization,
        apiKey,
        cookie: hasParameter ? undefined : deps.cookies.readOfUpgrade(session.peer.request),
      });
      session.peer.proved(principal.userId);
      session.principal = principal;
      session.unwatch = credentials.watch(principal, () =>
        session.socket.close(CloseCode.Forbidden, 'Forbidden'),
      );
      return true;
    },
    async onSubscribe({ extra: session, subscriptions }, _id, payload) {
      try {
        const { principal } = session;
        if (principal === null) throw new WeftError('UNAUTHORIZED');
        if (Object.keys(subscriptions).length > limits.graphqlOperations)
          throw full('Too many operations are under way on this connection.', limits.graphqlOperations);
        requireWithinLimit(await admission.count(principal));
        const { query, operationName, variables } = readRequest(payload);
        const operation = documents.prepare(query, operationName);
        const checked = runner.check(operation, variables);
        const job: Job = {
          operation,
          variables: checked,
          caller: callers.make(principal, session.peer.address, null, null),
        };
        return {
          schema,
          document: operation.document,
          operationName: operation.node.name?.value ?? null,
          contextValue: job,
        };
      } catch (error) {
        return shownErrors(error).map(({ message, locations, extensions }) =>
          asGraphqlError(message, extensions, locations),
        );
      }
    },
    // What comes of these is in its final form already.
    execute(args) {
      const { operation, variables, caller } = jobOf(args);
      return runner.run(operation, variables, caller) as never;
    },
    subscribe(args) {
      const { operation, variables, caller } = jobOf(args);
      return runner.subscribe(operation, variables, caller) as never;
    },
    onNext: (_ctx, _id, _payload, _args, result) => result as never,
  });

  function shownErrors(error: unknown): readonly ShownError[] {
    if (error instanceof RequestError) return error.errors;
    if (!(error instanceof WeftError)) onFault(error);
    return [showWeftError(error instanceof WeftError ? error : new WeftError('INTERNAL_ERROR'))];
  }

  /** What a message did to the connection, when it was more than an operation could tell. */
  function close(socket: WebSocket, error: unknown): void {
    if (error instanceof WeftError) {
      const isRefused = error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN';
      if (isRefused) socket.close(CloseCode.Forbidden, 'Forbidden');
      else if (error.code === 'RATE_LIMITED') socket.close(TOO_MUCH, 'too much');
      else socket.close(CloseCode.BadRequest, error.code);
      return;
    }
    onFault(error);
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  }

  return {
    protocols: [GRAPHQL_TRANSPORT_WS_PROTOCOL],
    accept(socket, peer) {
      const session: Session = { socket, peer, principal: null, unwatch: () => {} };
      const writer = createSocketWriter(socket, peer.stream, clock, () => socket.close(TOO_MUCH, 'too slow'));
      const rate = createMessageRate({ burst: limits.socketBurst, perSecond: limits.socketRate }, () =>
        clock.now(),
      );
      const closed = server.opened(
        {
          protocol: socket.protocol,
          send: (text) => writer.send(text),
          close: (code, reason) => socket.close(code, reason),
          onMessage: (take) =>
            socket.on('message', (data: Buffer) => {
              void (async () => {
                if (!rate.take()) throw full('Too many messages on this connection.', limits.socketRate);
                // Behind a close nothing is said any more, however much was under way.
                if (socket.readyState !== socket.OPEN) return;
                // Depth, names given twice and `__proto__` are refused as in any body.
                const message = parseJsonBody(data);
                if (isObject(message) && serverTypes.has(message['type']))
                  throw validationError([
                    { field: 'type', issue: 'is of a message that only the service sends' },
                  ]);
                // As it was parsed, with its integers exact.
                await take(message === undefined ? '' : JSON.stringify(message));
              })().catch((error: unknown) => close(socket, error));
            }),
        },
        session,
      );
      socket.on('close', (code, reason) => {
        session.unwatch();
        writer.close();
        closed(code, String(reason)).catch(onFault);
      });
    },
  };
}

function jobOf(args: ExecutionArgs): Job {
  return args.contextValue as Job;
}

/** The names of the headers, in any case. */
function credentialOf(params: Readonly<Record<string, unknown>> | undefined): {
  authorization: string | undefined;
  apiKey: string | undefined;
} {
  let authorization: string | undefined;
  let apiKey: string | undefined;
  for (const [name, value] of Object.entries(params ?? {})) {
    if (typeof value !== 'string') continue;
    if (name.toLowerCase() === 'authorization') authorization = value;
    else if (name.toLowerCase() === 'x-api-key') apiKey = value;
  }
  return { authorization, apiKey };
}

function asGraphqlError(
  message: string,
  extensions: ShownError['extensions'],
  locations: ShownError['locations'],
): GraphQLError {
  const error = new GraphQLError(message, { extensions });
  if (locations !== undefined)
    Object.defineProperty(error, 'locations', { value: locations, enumerable: true });
  return error;
}
