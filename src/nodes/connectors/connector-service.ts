import type { FieldError } from '../../contract/errors.ts';
import type { ConnectionToken } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { DataShape } from './data-fields.ts';

export type Credentials = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, Json | undefined>>;

/** What an answer means beyond its status; `type` only where it is another one. */
export type Problem = {
  type?: 'client_error' | 'server_error' | 'rate_limited';
  message: string;
};

/** One call. Path, query and body are made of the data, which fits `data` then. */
export type Operation = {
  description: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is a field of the data, URL-encoded. */
  path: string;
  data: DataShape;
  query?: (data: JsonObject) => Query;
  body?: (data: JsonObject) => Json;
  /** Of the answer's body; the body itself unless given. */
  result?: (body: Json) => Json;
};

/** One service that a connector speaks to: where it is, how it is told who calls, what it can do. */
export type ConnectorService = {
  title: string;
  /** What its secret holds, for the documentation. */
  holds: string;
  /** @throws {CredentialsError} */
  credentials: (secret: string) => Credentials;
  /** The same of a connected account; a text says why it cannot be one. */
  ofConnection: (connection: ConnectionToken) => Credentials | string;
  /** Besides a 401: the token is refused, and another one may be taken. */
  isRefused?: (body: Json) => boolean;
  baseUrl: (credentials: Credentials) => string;
  authorize: (credentials: Credentials) => Record<string, string>;
  operations: Readonly<Record<string, Operation>>;
  /** Why a call failed, in the service's words; null: it did not, as far as the body tells. */
  problem: (status: number, body: Json) => Problem | null;
  /** Faults of the credentials and the data together, found when the node runs. */
  check?: (data: JsonObject) => FieldError[];
};
