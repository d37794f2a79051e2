import type { Scope } from '../../contract/scopes.ts';

/** The permissions of a scope, as shown to the user. `isGrave` scopes are highlighted. */
export type ScopeDescription = { readonly title: string; readonly text: string; readonly isGrave?: true };

export const describeScopes: Readonly<Record<Scope | 'openid', ScopeDescription>> = {
  openid: { title: 'See your user id', text: 'No other personal data' },
  'workflows:read': { title: 'See your workflows', text: 'Including templates and all versions' },
  'workflows:write': {
    title: 'Change your workflows',
    text: 'Create, edit, activate and delete workflows and templates. Active workflows are run by their triggers',
  },
  'executions:read': {
    title: 'See your executions',
    text: 'Including their data and logs',
  },
  'executions:write': { title: 'Run your workflows', text: 'Start, stop and retry executions' },
  'nodes:read': { title: 'See node types', text: 'Built-in and custom node types' },
  'nodes:write': { title: 'Register node types', text: 'Add custom nodes with code' },
  'secrets:read': { title: 'See the names of your secrets', text: 'Values are never shown' },
  'secrets:write': { title: 'Store secrets', text: 'Add, replace and delete them' },
  'secrets:use': {
    title: 'Use your secrets and connected accounts',
    text: 'Create workflows that read your secrets and use your connected accounts, and that can send secrets to any server that their hosts allow',
    isGrave: true,
  },
  'decisions:write': {
    title: 'Respond for you',
    text: 'Approve or reject what workflows ask you in your inbox',
    isGrave: true,
  },
  'audit:read': {
    title: 'Read the audit log',
    text: 'Who changed what, signed in and decided, of all users',
    isGrave: true,
  },
  admin: { title: 'Administer this Weft', text: 'Create, change and delete all users', isGrave: true },
};
