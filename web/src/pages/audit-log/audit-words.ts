import type { AuditEvent } from 'weft-client';
import { t } from '../../i18n/index.ts';

const ACTIONS: Readonly<Record<AuditEvent['action'], string>> = {
  'session.created': t('Signed in'),
  'session.ended': t('Signed out'),
  'user.created': t('User created'),
  'user.updated': t('User changed'),
  'user.password_changed': t('Password changed'),
  'user.deleted': t('User deleted'),
  'api_key.created': t('API key created'),
  'api_key.deleted': t('API key deleted'),
  'oauth_client.created': t('OAuth client created'),
  'oauth_client.deleted': t('OAuth client deleted'),
  'oauth_grant.created': t('Access allowed'),
  'oauth_grant.deleted': t('Access revoked'),
  'oauth_token.created': t('Token issued'),
  'secret.created': t('Secret created'),
  'secret.updated': t('Secret changed'),
  'secret.deleted': t('Secret deleted'),
  'connection.created': t('Connection created'),
  'connection.updated': t('Connection changed'),
  'connection.connected': t('Connection authorized'),
  'connection.deleted': t('Connection deleted'),
  'workflow.created': t('Workflow created'),
  'workflow.updated': t('Workflow changed'),
  'workflow.activated': t('Workflow activated'),
  'workflow.deactivated': t('Workflow deactivated'),
  'workflow.published': t('Workflow published'),
  'workflow.version_restored': t('Version restored'),
  'workflow.version_named': t('Version named'),
  'workflow.deleted': t('Workflow deleted'),
  'workflow.undeleted': t('Workflow restored'),
  'thread.deleted': t('Thread deleted'),
  'vector_collection.deleted': t('Vector collection deleted'),
  'pinned_output.updated': t('Output pinned'),
  'pinned_output.deleted': t('Output unpinned'),
  'template.created': t('Template created'),
  'template.deleted': t('Template deleted'),
  'node.created': t('Node registered'),
  'node.deleted': t('Node deleted'),
  'pack.installed': t('Connector installed'),
  'pack.app_updated': t('App of a connector set up'),
  'pack.app_deleted': t('App of a connector deleted'),
  'pack.deleted': t('Connector removed'),
  'model_prices.updated': t('Model prices changed'),
  'decision.responded': t('Decision responded to'),
};

/** What happened. A refused sign-in did not sign in. */
export function describeAction({ action, outcome }: Pick<AuditEvent, 'action' | 'outcome'>): string {
  return action === 'session.created' && outcome === 'failure' ? t('Sign-in') : ACTIONS[action];
}

/** The types of targets, as options of a filter. */
export const TARGET_TYPES: readonly (readonly [type: string, label: string])[] = [
  ['workflow', t('Workflows')],
  ['decision', t('Decisions')],
  ['session', t('Sign-ins')],
  ['user', t('Users')],
  ['api_key', t('API keys')],
  ['secret', t('Secrets')],
  ['connection', t('Connections')],
  ['oauth_client', t('OAuth clients')],
  ['oauth_grant', t('Grants')],
  ['oauth_token', t('Tokens')],
  ['template', t('Templates')],
  ['pinned_output', t('Pinned outputs')],
  ['thread', t('Threads')],
  ['vector_collection', t('Vector collections')],
  ['node', t('Custom nodes')],
  ['pack', t('Connectors')],
  ['model_prices', t('Model prices')],
];

export const CREDENTIALS: Readonly<Record<AuditEvent['actor']['credential'], string>> = {
  session: t('Session'),
  api_key: t('API key'),
  oauth: t('OAuth token'),
  password: t('Password'),
  link: t('Link'),
  slack: 'Slack',
  client_secret: t('Client secret'),
  none: t('Not signed in'),
  system: t('System'),
};
