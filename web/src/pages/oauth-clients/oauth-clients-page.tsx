import { AppWindow } from 'lucide-react';
import { useState } from 'react';
import type { NewOAuthClient, OAuthClient } from 'weft-client';
import { client } from '../../data/client.ts';
import { useOAuthClients } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { CreateButton, ResourceList } from '../../ui/lists/resource-list-page.tsx';
import { ScopeList } from '../../ui/scope-picker.tsx';
import { SecretReveal } from '../../ui/secret-reveal.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CreateClientDialog } from './create-client-dialog.tsx';
import { Grants } from './grants.tsx';
import { t } from '../../i18n/index.ts';

const columns: readonly Column<OAuthClient>[] = [
  {
    title: t('Name'),
    cell: (one) => (
      <>
        <span className="table__main">{one.name}</span>
        <span className="table__sub row">
          <code className="truncate">{one.client_id}</code>
          <CopyButton text={one.client_id} label={t('Copy client ID of {{name}}', { name: one.name })} />
        </span>
      </>
    ),
  },
  {
    title: t('Type'),
    className: 'table__tight table__narrow-hide',
    cell: (one) => (
      <Badge>{one.grant_types.includes('client_credentials') ? t('Service') : t('User consent')}</Badge>
    ),
  },
  { title: t('Scopes'), cell: (one) => <ScopeList scopes={one.scopes} /> },
  timeColumn(t('Last used'), (one) => one.last_used_at),
  createActionsColumn((one) => (
    <DeleteButton
      name={one.name}
      run={() => client.oauth.clients.delete(one.client_id)}
      changes={[['oauth-clients']]}
    >
      {t('Its tokens stop working immediately for all users. This cannot be undone.')}
    </DeleteButton>
  )),
];

export function OAuthClientsPage() {
  const url = useUrlState();
  const tab = url.get('tab') === 'grants' ? 'grants' : 'clients';
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewOAuthClient | null>(null);
  return (
    <Page
      title={t('OAuth clients')}
      lead={t('Applications that access the API with OAuth 2.0, on behalf of users or as themselves.')}
      actions={<CreateButton label={t('New OAuth client')} onClick={() => setIsCreating(true)} />}
    >
      <Tabs
        label={t('OAuth')}
        value={tab}
        onChange={(next) => url.set({ tab: next === 'clients' ? '' : next })}
        tabs={[
          { id: 'clients', label: t('Clients'), content: <Clients /> },
          { id: 'grants', label: t('Authorized applications'), content: <Grants /> },
        ]}
      />
      {isCreating && (
        <CreateClientDialog
          onClose={() => setIsCreating(false)}
          onCreated={(one) => {
            setIsCreating(false);
            setCreated(one);
          }}
        />
      )}
      {created !== null && (
        <SecretReveal
          title={t('OAuth client “{{name}}”', { name: created.name })}
          values={[
            { label: t('Client ID'), value: created.client_id },
            { label: t('Client secret'), value: created.client_secret },
          ]}
          onClose={() => setCreated(null)}
        />
      )}
    </Page>
  );
}

function Clients() {
  const clients = useOAuthClients();
  return (
    <ResourceList
      label={t('OAuth clients')}
      columns={columns}
      query={clients}
      items={clients.data?.clients}
      getKey={(one) => one.client_id}
      empty={{
        icon: AppWindow,
        title: t('No OAuth clients yet'),
        text: t(
          'Register an application to get a client ID and secret. Users sign in here and approve the access that it requests; it never sees their passwords.',
        ),
      }}
    />
  );
}
