import type { CreateApiKeyInput } from 'weft-client';

export type Scope = NonNullable<CreateApiKeyInput['scopes']>[number];

/** Every scope with the access that it grants. */
export const SCOPES: readonly { scope: Scope; label: string; isForAdmins?: boolean }[] = [
  { scope: 'workflows:read', label: 'View workflows and templates' },
  {
    scope: 'workflows:write',
    label: 'Create, edit and activate workflows and templates',
  },
  { scope: 'executions:read', label: 'View executions with their data and logs' },
  { scope: 'executions:write', label: 'Run, stop and retry executions' },
  { scope: 'nodes:read', label: 'View node types' },
  { scope: 'nodes:write', label: 'Create and delete custom nodes' },
  { scope: 'secrets:read', label: 'View secret names' },
  { scope: 'secrets:write', label: 'Create, update and delete secrets' },
  {
    scope: 'secrets:use',
    label: 'Use secrets and connections in workflows, which can send them to other services',
  },
  { scope: 'admin', label: 'Manage users', isForAdmins: true },
];
