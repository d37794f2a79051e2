import type { CreateApiKeyInput } from 'weft-client';
import { t } from '../i18n/index.ts';

export type Scope = NonNullable<CreateApiKeyInput['scopes']>[number];

/** Every scope with the access that it grants. */
export const SCOPES: readonly { scope: Scope; label: string; isForAdmins?: boolean }[] = [
  { scope: 'workflows:read', label: t('View workflows and templates') },
  {
    scope: 'workflows:write',
    label: t('Create, edit and activate workflows and templates'),
  },
  { scope: 'executions:read', label: t('View executions with their data and logs') },
  { scope: 'executions:write', label: t('Run, stop and retry executions') },
  { scope: 'nodes:read', label: t('View node types') },
  { scope: 'nodes:write', label: t('Create and delete custom nodes') },
  { scope: 'secrets:read', label: t('View secret names') },
  { scope: 'secrets:write', label: t('Create, update and delete secrets') },
  {
    scope: 'secrets:use',
    label: t('Use secrets and connections in workflows, which can send them to other services'),
  },
  { scope: 'decisions:write', label: t('Respond to decisions that workflows ask for') },
  { scope: 'audit:read', label: t('Read the audit log'), isForAdmins: true },
  { scope: 'admin', label: t('Manage users'), isForAdmins: true },
];
