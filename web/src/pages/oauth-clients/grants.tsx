import { ShieldCheck } from 'lucide-react';
import type { OAuthGrant } from 'weft-client';
import { client } from '../../data/client.ts';
import { useOAuthGrants } from '../../data/lists.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceList } from '../../ui/lists/resource-list-page.tsx';
import { ScopeList } from '../../ui/scope-picker.tsx';
import { t } from '../../i18n/index.ts';

const columns: readonly Column<OAuthGrant>[] = [
  {
    title: t('Application'),
    cell: (one) => (
      <span className="row">
        <span className="table__main">{one.client_name}</span>
        {one.registered_by === 'itself' && <Badge tone="warn">{t('Self-registered')}</Badge>}
      </span>
    ),
  },
  { title: t('Scopes'), cell: (one) => <ScopeList scopes={one.scopes} /> },
  timeColumn(t('Authorized'), (one) => one.created_at, false),
  timeColumn(t('Expires'), (one) => one.expires_at),
  createActionsColumn((one) => (
    <DeleteButton
      name={one.client_name}
      action="revoke"
      run={() => client.oauth.grants.delete(one.id)}
      changes={[['oauth-grants']]}
    >
      {t('Its tokens stop working immediately. The application can ask for access again.')}
    </DeleteButton>
  )),
];

/** The applications that the user has authorized. */
export function Grants() {
  const grants = useOAuthGrants();
  return (
    <ResourceList
      label={t('Authorized applications')}
      columns={columns}
      query={grants}
      items={grants.data?.grants}
      getKey={(one) => one.id}
      empty={{
        icon: ShieldCheck,
        title: t('No authorized applications'),
        text: t(
          'Applications that you authorize to access your account appear here. You can revoke their access at any time.',
        ),
      }}
    />
  );
}
