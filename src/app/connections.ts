import type { SecretBox } from '../auth/secret-box.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Store } from '../ports/store.ts';
import type { ClosableRunner } from '../runner/node-runner.ts';
import type { AuditLog } from '../services/audit/audit-log.ts';
import { createConnections } from '../services/credentials/connections.service.ts';
import { createTokenRefresher, type TokenRefresher } from '../services/credentials/token-refresher.ts';

/** Connected accounts: the source of their tokens for the node runner, and the service for the APIs. */
export function createConnectedAccounts(options: {
  readonly store: Store;
  readonly box: SecretBox;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Created after this, because it needs the tokens. */
  runner(): Pick<ClosableRunner, 'send' | 'askForToken'>;
  getNodeTypes(ownerId: string): Promise<NodeTypes>;
  baseUrl(): string;
  /** Called when the values to redact for this owner changed. */
  changed(ownerId: string): void;
  readonly notifier: Notifier;
}) {
  const { store, box, clock } = options;
  const shared = {
    connections: store.connections,
    box,
    clock,
    audit: options.audit,
    changed: (ownerId: string) => options.changed(ownerId),
    notify: (notice: Parameters<Notifier['notify']>[0]) => options.notifier.notify(notice),
  };
  const tokens: TokenRefresher = createTokenRefresher({
    ...shared,
    worker: options.ids.next('worker'),
    requestToken: (grant, signal) => options.runner().askForToken(grant, signal),
  });
  const connections = createConnections({
    ...shared,
    tokens,
    workflows: store.workflows,
    getNodeTypes: (ownerId) => options.getNodeTypes(ownerId),
    requestToken: (grant, signal) => options.runner().askForToken(grant, signal),
    send: (request, signal) => options.runner().send(request, signal),
    baseUrl: () => options.baseUrl(),
    async isLive(userId, sessionId) {
      if ((await store.accounts.userById(userId)) === null) return false;
      if (sessionId === null) return true;
      const session = await store.accounts.session(sessionId);
      return session !== null && session.endedAt === null && session.expiresAt > clock.now();
    },
  });
  return { tokens, connections };
}
