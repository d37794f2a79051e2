import type { FieldError } from '../../contract/errors.ts';
import type { ConnectionCredentials } from '../../contract/connections/connection-credentials.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { DataShape } from './data-fields.ts';

export type Credentials = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, Json | undefined>>;

/** An error found in a response; `type` only if it differs from the type for the status. */
export type Problem = {
  type?: 'client_error' | 'server_error' | 'rate_limited';
  message: string;
};

/** One call. Path, query and body are built from the data after it has been validated against `data`. */
export type Operation = {
  description: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is a field of the data, URL-encoded. */
  path: string;
  data: DataShape;
  query?: (data: JsonObject) => Query;
  body?: (data: JsonObject) => Json;
  /** Builds the result from the response body. Default: the body itself. */
  result?: (body: Json) => Json;
};

/** The token of a connected account, and the base URL of its API. */
export type ConnectedToken = Pick<ConnectionCredentials, 'apiUrl'> & { readonly token: string };

/** A service that a connector calls: its address, its authentication and its operations. */
export type ConnectorService = {
  title: string;
  /** The content of its secret, for the documentation. */
  holds: string;
  /** @throws {CredentialsError} */
  credentials: (secret: string) => Credentials;
  /** Credentials of a connected account; a string is the reason why the account cannot be used. */
  ofConnection: (connection: ConnectedToken) => Credentials | string;
  /** Whether, besides a 401, the response means that the token was rejected and should be renewed. */
  isRefused?: (body: Json) => boolean;
  baseUrl: (credentials: Credentials) => string;
  authorize: (credentials: Credentials) => Record<string, string>;
  operations: Readonly<Record<string, Operation>>;
  /** Why a call failed, with the message of the service; null if the body reports no error. */
  problem: (status: number, body: Json) => Problem | null;
  /** Validates the credentials and the data together when the node runs. */
  check?: (data: JsonObject) => FieldError[];
};
