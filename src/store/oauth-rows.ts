import type { Json } from '../lib/json/json.ts';
import type {
  OAuthClientRow,
  OAuthGrantRow,
  OAuthRecordRow,
  OAuthTokenRow,
} from '../ports/store/accounts/oauth.ts';

/* Rows of the authorization server, as stored in the database and as named by the port. */

export type OAuthClientRecord = {
  id: string;
  owner_id: string | null;
  name: string;
  secret_hash: string | null;
  metadata: string;
  created_at: number;
  last_used_at: number | null;
};

export function toOAuthClient(r: OAuthClientRecord): OAuthClientRow {
  return {
    id: r.id,
    ownerId: r.owner_id,
    name: r.name,
    secretHash: r.secret_hash,
    metadata: JSON.parse(r.metadata) as Record<string, Json>,
    createdAt: r.created_at,
    lastUsedAt: r.last_used_at,
  };
}

export type OAuthRecordRecord = {
  model: string;
  id: string;
  bucket: string;
  payload: string;
  grant_id: string | null;
  uid: string | null;
  client_id: string | null;
  account_id: string | null;
  scope: string | null;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
};

export function toOAuthRecord(r: OAuthRecordRecord): OAuthRecordRow {
  return {
    model: r.model,
    id: r.id,
    bucket: r.bucket,
    payload: r.payload,
    grantId: r.grant_id,
    uid: r.uid,
    clientId: r.client_id,
    accountId: r.account_id,
    scope: r.scope,
    createdAt: r.created_at,
    expiresAt: r.expires_at,
    consumedAt: r.consumed_at,
  };
}

export type OAuthGrantRecord = {
  id: string;
  client_id: string;
  client_name: string;
  owner_id: string | null;
  scope: string | null;
  created_at: number;
  expires_at: number;
};

export function toOAuthGrant(r: OAuthGrantRecord): OAuthGrantRow {
  return {
    id: r.id,
    clientId: r.client_id,
    clientName: r.client_name,
    clientOwnerId: r.owner_id,
    scope: r.scope,
    createdAt: r.created_at,
    expiresAt: r.expires_at,
  };
}

export type OAuthTokenRecord = {
  model: string;
  id: string;
  payload: string;
  client_id: string;
  grant_id: string | null;
  account_id: string | null;
  scope: string | null;
  expires_at: number;
  owner_id: string | null;
};

export function toOAuthToken(r: OAuthTokenRecord): OAuthTokenRow {
  return {
    model: r.model,
    id: r.id,
    payload: r.payload,
    clientId: r.client_id,
    grantId: r.grant_id,
    // A client-credentials token acts as the user who registered the client.
    userId: r.model === 'ClientCredentials' ? r.owner_id : r.account_id,
    scope: r.scope,
    expiresAt: r.expires_at,
  };
}
