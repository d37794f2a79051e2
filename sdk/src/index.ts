export { Auth, Client, CookieSessions, Executions, Logs, createClient } from './client.ts';
export type { ClientOptions, RunOptions } from './client.ts';
export type { CookieSession, CookieSessionStore } from './cookie-credentials.ts';
export type { Session, TokenSource } from './credentials.ts';
export {
  ConflictError,
  ConnectionError,
  ExecutionFailedError,
  ForbiddenError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  ServerError,
  SlowReaderError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
  ValidationError,
  WeftError,
  isTemporary,
} from './errors.ts';
export type { FieldError } from './errors.ts';
export { isSettled } from './streams/watch-execution.ts';
export { GraphqlError } from './graphql.ts';
export type { Graphql, GraphqlResponseError as GraphqlFault, GraphqlOptions } from './graphql.ts';
export type { Live, LiveOptions } from './streams/live-updates.ts';
export type { WebSocketClass } from './streams/websocket-hub.ts';
export type { StreamOptions } from './streams/execution-stream.ts';
export type { FollowOptions } from './streams/log-follower.ts';
export type { SubscribeOptions } from './streams/subscription.ts';
export type { PagingOptions } from './pages.ts';
export type { ExecuteOptions, RequestOptions } from './request.ts';
export type { WaitOptions } from './wait-for.ts';
export { signWebhook } from './webhook-signature.ts';
// The types of all requests and responses, generated from the service's schemas.
export type * from './generated/types.ts';
