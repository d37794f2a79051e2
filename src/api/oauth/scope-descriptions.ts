import type { Scope } from '../../contract/scopes.ts';

/** What a scope lets a client do, for the person who is asked. `isGrave` ones are marked. */
export type ScopeDescription = { readonly title: string; readonly text: string; readonly isGrave?: true };

export const describeScopes: Readonly<Record<Scope | 'openid', ScopeDescription>> = {
  openid: { title: 'Know who you are', text: 'Your user id, and nothing else about you' },
  'workflows:read': { title: 'See your workflows', text: 'And your templates, with every version' },
  'workflows:write': {
    title: 'Change your workflows',
    text: 'Create, edit, activate and delete workflows and templates; an active one runs by itself, at its trigger',
  },
  'executions:read': {
    title: 'See your executions',
    text: 'With everything that went through them, and their logs',
  },
  'executions:write': { title: 'Run your workflows', text: 'Start, stop and retry executions' },
  'nodes:read': { title: 'See the node types', text: 'Those of Weft and your own' },
  'nodes:write': { title: 'Register node types', text: 'Add nodes with code of their own' },
  'secrets:read': { title: 'See the names of your secrets', text: 'Never their values' },
  'secrets:write': { title: 'Store secrets', text: 'Add, replace and delete them' },
  'secrets:use': {
    title: 'Use your secrets and connected accounts',
    text: 'Write workflows that read your stored secrets and act as your connected accounts, and send them to any server that a secret is not kept from',
    isGrave: true,
  },
  admin: { title: 'Administer this Weft', text: 'Create, change and delete all users', isGrave: true },
};
