import { AppWindow, Plus } from 'lucide-react';
import { useState } from 'react';
import type { NewOAuthClient, OAuthClient } from 'weft-client';
import { client } from '../../data/client.ts';
import { useOAuthClients } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { ScopeList } from '../../ui/scope-picker.tsx';
import { SecretReveal } from '../../ui/secret-reveal.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateClientDialog } from './create-client-dialog.tsx';
import { Grants } from './grants.tsx';

const columns: readonly Column<OAuthClient>[] = [
  {
    title: 'Name',
    cell: (one) => (
      <>
        <span className="table__main">{one.name}</span>
        <span className="table__sub row">
          <code className="truncate">{one.client_id}</code>
          <CopyButton text={one.client_id} label={`Copy the id of ${one.name}`} />
        </span>
      </>
    ),
  },
  {
    title: 'Acts',
    className: 'table__tight table__narrow-hide',
    cell: (one) => (
      <Badge>{one.grant_types.includes('client_credentials') ? 'by itself' : 'for people'}</Badge>
    ),
  },
  { title: 'May', cell: (one) => <ScopeList scopes={one.scopes} /> },
  {
    title: 'Last used',
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Time at={one.last_used_at} />,
  },
  {
    title: '',
    className: 'table__tight',
    cell: (one) => (
      <div className="table__actions">
        <DeleteButton
          name={one.name}
          run={() => client.oauth.clients.delete(one.client_id)}
          changes={[['oauth-clients']]}
        >
          Its tokens stop working at once, for everybody who allowed it. This cannot be taken back.
        </DeleteButton>
      </div>
    ),
  },
];

export function OAuthClientsPage() {
  const url = useUrlState();
  const tab = url.get('tab') === 'grants' ? 'grants' : 'clients';
  const [isCreating, setIsCreating] = useState(false);
  const [made, setMade] = useState<NewOAuthClient | null>(null);
  const create = (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setIsCreating(true)}>
      New client
    </Button>
  );
  return (
    <Page
      title="OAuth clients"
      lead="Applications that get tokens of this service, for people who allow it or by themselves."
      actions={create}
    >
      <Tabs
        label="OAuth"
        value={tab}
        onChange={(next) => url.set({ tab: next === 'clients' ? '' : next })}
        tabs={[
          { id: 'clients', label: 'Clients', content: <Clients /> },
          { id: 'grants', label: 'What I allowed', content: <Grants /> },
        ]}
      />
      {isCreating && (
        <CreateClientDialog
          onClose={() => setIsCreating(false)}
          onMade={(one) => {
            setIsCreating(false);
            setMade(one);
          }}
        />
      )}
      {made !== null && (
        <SecretReveal
          title={`The client “${made.name}”`}
          values={[
            { label: 'Client id', value: made.client_id },
            { label: 'Client secret', value: made.client_secret },
          ]}
          onClose={() => setMade(null)}
        />
      )}
    </Page>
  );
}

function Clients() {
  const url = useUrlState();
  const list = useOAuthClients(url.page);
  return (
    <ListTable
      label="OAuth clients"
      columns={columns}
      items={list.data?.clients}
      keyOf={(one) => one.client_id}
      place={list.data?.pagination}
      onPage={url.setPage}
      error={list.error}
      onRetry={() => void list.refetch()}
      empty={
        <EmptyState icon={<AppWindow size={20} />} title="No clients yet">
          An application that acts for others should not know their passwords. Registered here it gets an id
          and a secret; its people sign in at this service and see what it may do.
        </EmptyState>
      }
    />
  );
}
