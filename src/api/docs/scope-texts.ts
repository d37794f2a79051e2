import type { Scope } from '../../contract/scopes.ts';

/** The permissions of each scope. */
export const scopeTexts: Readonly<Record<Scope, string>> = {
  'workflows:read': 'Read workflows, their versions and templates',
  'workflows:write':
    'Create, change, activate, publish and delete workflows and templates. Triggers of active workflows start executions without `executions:write`',
  'executions:read': 'Read executions, their logs and files',
  'executions:write': 'Run, stop and retry workflows',
  'nodes:read': 'Read the catalog of nodes',
  'nodes:write': 'Register custom nodes',
  'secrets:read': 'Read the names of secrets and connections, never their values',
  'secrets:write': 'Store and delete secrets, connect accounts and test them',
  'secrets:use':
    'Add or change nodes that use secrets or connections in workflows and templates that are saved with `workflows:write`. Such nodes can send secrets to any server that their `hosts` allow',
  'decisions:write': 'Respond to decisions that executions ask for, such as approvals',
  'audit:read': 'Read the audit log of the whole service; also requires the role admin',
  admin: 'Manage users; also requires the role admin',
};
