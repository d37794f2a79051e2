import type { Json } from '../../lib/json/json.ts';

/** The actions of audit events, with what each means. The part before the dot is the type of the target. */
export const auditActions = {
  'session.created': 'A user signed in with a password. With the outcome `failure`: the sign-in was refused.',
  'session.ended': 'A user signed out or in again, or a replaced token was used; see `details.reason`.',
  'user.created': 'An administrator created a user, or the first start created the first administrator.',
  'user.updated': 'An administrator changed a user: name, email, role, plan or password.',
  'user.password_changed': 'A user changed the own password, or `weft user reset-password` set it.',
  'user.deleted': 'An administrator deleted a user with all of the user’s resources.',
  'api_key.created': 'A user created an API key.',
  'api_key.deleted': 'A user deleted an API key.',
  'oauth_client.created': 'A user registered an OAuth client, or an application registered itself.',
  'oauth_client.deleted': 'A user deleted an OAuth client with its grants and tokens.',
  'oauth_grant.created': 'A user allowed an OAuth client to act with these scopes.',
  'oauth_grant.deleted': 'A user revoked the grant of an OAuth client.',
  'oauth_token.created': 'An OAuth client got a token with its own credentials.',
  'secret.created': 'A user stored a secret.',
  'secret.updated': 'A user replaced a secret, its hosts or its description.',
  'secret.deleted': 'A user deleted a secret.',
  'connection.created': 'A user created a connection.',
  'connection.updated': 'A user changed the settings or credentials of a connection.',
  'connection.connected': 'A user authorized a connection at its provider.',
  'connection.deleted': 'A user deleted a connection.',
  'workflow.created': 'A user created a workflow, also by importing it or from a template.',
  'workflow.updated': 'A user saved a version of a workflow.',
  'workflow.activated': 'A user activated a workflow: its triggers start executions.',
  'workflow.deactivated': 'A user deactivated a workflow.',
  'workflow.published': 'A user made the newest version the one that triggers run.',
  'workflow.version_restored': 'A user saved an earlier version as the newest one.',
  'workflow.version_named': 'A user named a version of a workflow, or removed its name.',
  'workflow.deleted': 'A user deleted a workflow.',
  'workflow.undeleted': 'A user restored a deleted workflow.',
  'pinned_output.updated': 'A user pinned the output of a node.',
  'pinned_output.deleted': 'A user removed the pinned output of a node.',
  'thread.deleted': 'A user deleted a thread, the memory of agents, with its turns.',
  'vector_collection.deleted': 'A user deleted a vector collection with its documents.',
  'template.created': 'A user created a version of a workflow template.',
  'template.deleted': 'A user deleted a workflow template, or one version of it.',
  'node.created': 'A user registered a version of a custom node.',
  'node.deleted': 'A user deleted a version of a custom node.',
  'pack.installed': 'An administrator installed a version of a pack.',
  'pack.deleted': 'An administrator deleted a version of a pack.',
  'pack.app_updated': 'An administrator entered the signing secret of the app of a pack.',
  'pack.app_deleted': 'An administrator deleted the app of a pack.',
  'model_prices.updated': 'An administrator replaced the stored prices of language models.',
  'decision.responded':
    'A person responded to a decision. With the outcome `failure`: the link was not valid.',
} as const;

export type AuditAction = keyof typeof auditActions;
export const auditActionNames = Object.keys(auditActions) as AuditAction[];
/** The types of targets: the parts of the actions before the dot. */
export const auditTargetTypes = [...new Set(auditActionNames.map(readTargetType))];

export function readTargetType(action: AuditAction): string {
  return action.slice(0, action.indexOf('.'));
}

export const auditOutcomes = ['success', 'failure'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/**
 * How the actor was authenticated. `password`: a sign-in. `link`: the signed link of an e-mail. `slack`: a
 * button in Slack, in a request that Slack signed.
 * `client_secret`: the credentials of an OAuth client. `none`: the caller was not authenticated. `system`:
 * the service itself or its operator.
 */
export const auditCredentials = [
  'session',
  'api_key',
  'oauth',
  'password',
  'link',
  'slack',
  'client_secret',
  'none',
  'system',
] as const;
export type AuditCredential = (typeof auditCredentials)[number];

/** One entry of the audit log. It is never changed. `at` in ms since the epoch. */
export type AuditEvent = {
  readonly id: string;
  readonly at: number;
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** The user who acted; null for callers without an account. */
  readonly actorId: string | null;
  /** The e-mail address at the time of the event; for a refused sign-in, the one that was entered. */
  readonly actorEmail: string | null;
  readonly credential: AuditCredential;
  /** The id of what authenticated the actor: session, API key, OAuth client, decision, or user of Slack. */
  readonly credentialId: string | null;
  readonly targetId: string | null;
  /** The name of the target at the time of the event. */
  readonly targetName: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Which fields changed, and values that are not secret. */
  readonly details: { readonly [name: string]: Json };
};
