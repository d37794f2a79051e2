import type { AuditStore } from '../ports/store/audit.ts';
import type { OAuthStore } from '../ports/store/accounts/oauth.ts';
import type { ThrottlingStore } from '../ports/store/accounts/rate-limits.ts';
import type { ConnectionStore } from '../ports/store/connections.ts';
import { writeAudited } from './audited-change.ts';
import type { Driver } from './driver.ts';

export function createOAuthStore({ write, read }: Driver): OAuthStore {
  return {
    createClient: (client, most, event = null) =>
      writeAudited(write, event, 'createOAuthClient', client, most),
    client: (id) => read('getOAuthClient', id),
    listClients: (ownerId, offset, limit) => read('listOAuthClients', ownerId, offset, limit),
    removeClient: (ownerId, id, event = null) => writeAudited(write, event, 'removeOAuthClient', ownerId, id),
    touchClient: (id, at) => write('touchOAuthClient', id, at),
    putRecord: (record, keep) => write('putOAuthRecord', record, keep),
    record: (model, id) => read('getOAuthRecord', model, id),
    recordByUid: (model, uid) => read('oauthRecordByUid', model, uid),
    consumeRecord: (model, id, at) => write('consumeOAuthRecord', model, id, at),
    removeRecord: (model, id) => write('removeOAuthRecord', model, id),
    removeRecordsOfGrant: (model, grantId) => write('removeOAuthRecordsOfGrant', model, grantId),
    listGrants: (accountId, now, offset, limit) => read('listOAuthGrants', accountId, now, offset, limit),
    removeGrant: (accountId, id, event = null) =>
      writeAudited(write, event, 'removeAccountGrant', accountId, id),
    token: (id, now) => read('oauthToken', id, now),
  };
}

export function createConnectionStore({ write, read }: Driver): ConnectionStore {
  return {
    create: (row, most, event = null) => writeAudited(write, event, 'createConnection', row, most),
    get: (ownerId, name) => read('getConnection', ownerId, name),
    list: (ownerId, offset, limit) => read('listConnections', ownerId, offset, limit),
    update: (row, disconnect, event = null) =>
      writeAudited(write, event, 'updateConnection', row, disconnect),
    remove: (ownerId, name, at, event = null) =>
      writeAudited(write, event, 'removeConnection', ownerId, name, at),
    setState: (ownerId, name, updatedAt, state) =>
      write('setConnectionState', ownerId, name, updatedAt, state),
    noteError: (ownerId, name, error) => write('noteConnectionError', ownerId, name, error),
    beginAuthorization: (row, keep) => write('beginAuthorization', row, keep),
    takeAuthorization: (id, now) => write('takeAuthorization', id, now),
    tokens: (at) => read('getTokens', at),
    lease: (at, revision, lease, keep) => write('leaseTokens', at, revision, lease, keep),
    putTokens: (at, expected, tokens, state, event = null) =>
      writeAudited(write, event, 'putTokens', at, expected, tokens, state),
    releaseLease: (at, worker, hasResponded, state) =>
      write('releaseTokens', at, worker, hasResponded, state),
    sealed: (ownerId) => read('sealedOfConnections', ownerId),
  };
}

export function createThrottlingStore({ write, read }: Driver): ThrottlingStore {
  return {
    saveRateWindows: (rows, now) => write('saveRateWindows', rows, now),
    rateWindows: (now, after, limit) => read('rateWindowsAfter', now, after, limit),
    saveLoginFailures: (rows, since) => write('saveLoginFailures', rows, since),
    loginFailures: (since, limit) => read('recentLoginFailures', since, limit),
  };
}

export function createAuditStore({ write, readLong }: Driver): AuditStore {
  return {
    record: (event) => write('recordAuditEvent', event),
    list: (filter, offset, limit) => readLong('listAuditEvents', filter, offset, limit),
    page: (filter, after, limit) => readLong('pageAuditEvents', filter, after, limit),
    prune: (before, limit) => write('pruneAuditEvents', before, limit),
  };
}
