import { GraphQLError, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Authenticate } from '../../../auth/credentials.ts';
import type { CredentialExpiryWatcher } from '../../../auth/credential-expiry-watcher.ts';
import { WeftError, createValidationError } from '../../../contract/errors.ts';
import type { Principal, RequestOrigin } from '../../../contract/principal.ts';
import { isObject } from '../../../lib/json/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { limits } from '../../../ports/limits.ts';
import { requireWithinLimit } from '../../../services/accounts/rate-limit.service.ts';
import type { Admission } from '../../http/admission.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import type { SessionCookies } from '../../http/session-cookie.ts';
import { createMessageRate } from '../../websocket/message-rate.ts';
import { createLimitError } from '../../websocket/connection-limits.ts';
import type { Peer, SocketApi } from '../../websocket/socket-plugin.ts';
import type { RequestContext } from '../request-context.ts';
import type { RequestContexts } from '../request-contexts.ts';
import type { Documents, PreparedOperation } from '../documents.ts';
import { RequestError, formatWeftError, type FormattedError } from '../request-error.ts';
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
  readonly onError: (error: unknown) => void;
};

/** How long a client may take to send `connection_init`. */
const INIT_TIMEOUT_MS = 10_000;
/** Close code for a client that is too slow, sends too much or has too many connections, as on `/v1/ws`. */
const LIMIT_CLOSE_CODE = 4429;

/** Message types that only the server sends. The library would report them as internal errors. */
const serverMessageTypes: ReadonlySet<unknown> = new Set(['connection_ack', 'next', 'error']);

/** One authenticated client. */
type Session = {
  readonly socket: WebSocket;
  readonly peer: Peer;
  principal: Principal | null;
  unwatch: () => void;
};
/** The address is the one that connections are counted by. */
function readPeerOrigin({ address, request }: Peer): RequestOrigin {
  return { address, userAgent: request.headers['user-agent'] ?? null };
}

/** One operation, from its message to its responses. */
type OperationRun = {
  readonly operation: PreparedOperation;
  readonly variables: Variables;
  readonly caller: RequestContext;
};

/**
 * `graphql-transport-ws` at the path of the API. `connection_init` carries the credential, unless the request
 * has the session cookie. A rejected credential, and a credential that expires or is revoked, close the
 * connection with 4403.
 */
export function createGraphqlSocket(deps: GraphqlSocketDeps): SocketApi {
  const { schema, documents, runner, callers, admission, credentials, clock, onError } = deps;

  const server = makeServer<Record<string, unknown> | undefined, Session>({
    schema,
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    async onConnect({ connectionParams, extra: session }) {
      const { authorization, apiKey } = readCredential(connectionParams);
      const hasParameter = authorization !== undefined || apiKey !== undefined;
      const principal = await deps.authenticate({
        path: session.peer.request.url ?? '',
        authorization,
        apiKey,
        cookie: hasParameter ? undefined : deps.cookies.readOfUpgrade(session.peer.request),
      });
      session.peer.assignUser(principal.userId);
      session.principal = { ...principal, origin: readPeerOrigin(session.peer) };
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
          throw createLimitError(
            'Too many operations are in progress on this connection.',
            limits.graphqlOperations,
          );
        requireWithinLimit(await admission.count(principal));
        const { query, operationName, variables } = readRequest(payload);
        const operation = documents.prepare(query, operationName);
        const checked = runner.check(operation, variables);
        const job: OperationRun = {
          operation,
          variables: checked,
          caller: callers.make(principal, readPeerOrigin(session.peer), null, null),
        };
        return {
          schema,
          document: operation.document,
          operationName: operation.node.name?.value ?? null,
          contextValue: job,
        };
      } catch (error) {
        return toShownErrors(error).map(({ message, locations, extensions }) =>
          toGraphqlError(message, extensions, locations),
        );
      }
    },
    // The results of these functions are already in their final form.
    execute(args) {
      const { operation, variables, caller } = getRun(args);
      return runner.run(operation, variables, caller) as never;
    },
    subscribe(args) {
      const { operation, variables, caller } = getRun(args);
      return runner.subscribe(operation, variables, caller) as never;
    },
    onNext: (_ctx, _id, _payload, _args, result) => result as never,
  });

  function toShownErrors(error: unknown): readonly FormattedError[] {
    if (error instanceof RequestError) return error.errors;
    if (!(error instanceof WeftError)) onError(error);
    return [formatWeftError(error instanceof WeftError ? error : new WeftError('INTERNAL_ERROR'))];
  }

  /** Closes the connection for an error that concerns more than one operation. */
  function close(socket: WebSocket, error: unknown): void {
    if (error instanceof WeftError) {
      const isRefused = error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN';
      if (isRefused) socket.close(CloseCode.Forbidden, 'Forbidden');
      else if (error.code === 'RATE_LIMITED') socket.close(LIMIT_CLOSE_CODE, 'too much');
      else socket.close(CloseCode.BadRequest, error.code);
      return;
    }
    onError(error);
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  }

  return {
    protocols: [GRAPHQL_TRANSPORT_WS_PROTOCOL],
    accept(socket, peer) {
      const session: Session = { socket, peer, principal: null, unwatch: () => {} };
      const writer = createSocketWriter(socket, peer.stream, clock, () =>
        socket.close(LIMIT_CLOSE_CODE, 'too slow'),
      );
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
                if (!rate.tryConsume())
                  throw createLimitError('Too many messages on this connection.', limits.socketRate);
                // After a close no messages are handled, even if they have arrived.
                if (socket.readyState !== socket.OPEN) return;
                // Applies the limits of request bodies: depth, repeated keys and `__proto__`.
                const message = parseJsonBody(data);
                if (isObject(message) && serverMessageTypes.has(message['type']))
                  throw createValidationError([
                    { field: 'type', issue: 'must not be a message type of the server' },
                  ]);
                // Serialized from the parsed value, which keeps integers exact.
                await take(message === undefined ? '' : JSON.stringify(message));
              })().catch((error: unknown) => close(socket, error));
            }),
        },
        session,
      );
      socket.on('close', (code, reason) => {
        session.unwatch();
        writer.close();
        closed(code, String(reason)).catch(onError);
      });
    },
  };
}

function getRun(args: ExecutionArgs): OperationRun {
  return args.contextValue as OperationRun;
}

/** Header names are matched in any case. */
function readCredential(params: Readonly<Record<string, unknown>> | undefined): {
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

function toGraphqlError(
  message: string,
  extensions: FormattedError['extensions'],
  locations: FormattedError['locations'],
): GraphQLError {
  const error = new GraphQLError(message, { extensions });
  if (locations !== undefined)
    Object.defineProperty(error, 'locations', { value: locations, enumerable: true });
  return error;
}
