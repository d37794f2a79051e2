import type { CreateApiKeyInput } from 'weft-client';

export type Scope = NonNullable<CreateApiKeyInput['scopes']>[number];

/** Every scope with what it lets a program do. */
export const SCOPES: readonly { scope: Scope; words: string; isForAdmins?: boolean }[] = [
  { scope: 'workflows:read', words: 'See workflows and templates' },
  {
    scope: 'workflows:write',
    words: 'Change and activate workflows and templates; triggers then start them',
  },
  { scope: 'executions:read', words: 'See executions, their data and logs' },
  { scope: 'executions:write', words: 'Run, stop and retry' },
  { scope: 'nodes:read', words: 'See the catalogue of nodes' },
  { scope: 'nodes:write', words: 'Register custom nodes' },
  { scope: 'secrets:read', words: 'See the names of secrets' },
  { scope: 'secrets:write', words: 'Store and delete secrets' },
  { scope: 'secrets:use', words: 'Use secrets and connections in workflows, and so send them out' },
  { scope: 'admin', words: 'Manage users', isForAdmins: true },
];
