import { Activity, Cable, KeyRound, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedAccount } from 'weft-client';
import { ConnectionDialog } from '../../credentials/connection-dialog.tsx';
import { CONNECTION_STATUSES } from '../../credentials/credential-state.ts';
import { ReplaceFieldsDialog } from '../../credentials/replace-fields-dialog.tsx';
import { ServiceName } from '../../credentials/service-name.tsx';
import { SignInDialog, openSignIn, type SignIn } from '../../credentials/sign-in-dialog.tsx';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { useConnections } from '../../data/lists.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';

const columns: readonly Column<ConnectedAccount>[] = [
  {
    title: t('Name'),
    cell: (one) => (
      <>
        <code className="table__main">{one.name}</code>
        <span className="table__sub">
          <ServiceName connection={one} />
          {one.error !== null && <>: {one.error}</>}
        </span>
      </>
    ),
  },
  {
    title: t('Status'),
    className: 'table__tight',
    cell: ({ status }) => (
      <Badge tone={CONNECTION_STATUSES[status].tone} hasDot>
        {CONNECTION_STATUSES[status].label}
      </Badge>
    ),
  },
  timeColumn(t('Refreshed'), (one) => one.refreshed_at),
  createActionsColumn((one) => (
    <>
      <AuthorizeButton connection={one} />
      <ReplaceFieldsButton connection={one} />
      <TestButton name={one.name} />
      <DeleteButton
        name={one.name}
        run={() => client.connections.delete(one.name)}
        changes={[['connections']]}
      >
        {t(
          'This deletes the stored tokens; the app may remain authorized at the service. A connection that active workflows use cannot be deleted.',
        )}
      </DeleteButton>
    </>
  )),
];

/** Signs in at the service, in another window. */
function AuthorizeButton({ connection }: { connection: ConnectedAccount }) {
  const { name, grant_type, status } = connection;
  const [signIn, setSignIn] = useState<SignIn | null>(null);
  const authorize = useMutationWithToast(() => client.connections.authorize(name, {}), {
    changes: [],
    failed: t('Could not start the sign-in'),
    onDone: ({ connect_url }) => setSignIn(openSignIn(connection, connect_url)),
  });
  if (grant_type !== 'authorization_code') return null;
  return (
    <>
      {status === 'connected' ? (
        <IconButton
          label={t('Sign in again for {{name}}', { name })}
          size="small"
          icon={<RefreshCw size={15} />}
          isBusy={authorize.isPending}
          onClick={() => authorize.mutate(undefined)}
        />
      ) : (
        <Button
          size="small"
          isBusy={authorize.isPending}
          aria-label={t('Sign in for {{name}}', { name })}
          onClick={() => authorize.mutate(undefined)}
        >
          {t('Sign in')}
        </Button>
      )}
      {signIn !== null && (
        <SignInDialog key={signIn.url} signIn={signIn} onAgain={setSignIn} onClose={() => setSignIn(null)} />
      )}
    </>
  );
}

/** Opens the dialog that replaces the values of a connection of fields. */
function ReplaceFieldsButton({ connection }: { connection: ConnectedAccount }) {
  const [isOpen, setIsOpen] = useState(false);
  if (connection.field_names === null) return null;
  return (
    <>
      <IconButton
        label={t('Update {{name}}', { name: connection.name })}
        size="small"
        icon={<KeyRound size={15} />}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && <ReplaceFieldsDialog connection={connection} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function TestButton({ name }: { name: string }) {
  const test = useMutationWithToast(() => client.connections.test(name), {
    changes: [['connections']],
    failed: t('Could not test the connection'),
    onDone: ({ ok, message }) =>
      toast({
        tone: ok ? 'good' : 'bad',
        title: ok ? t('{{name}} works', { name }) : t('{{name}} does not work', { name }),
        text: message,
      }),
  });
  return (
    <IconButton
      label={t('Test {{name}}', { name })}
      size="small"
      icon={<Activity size={15} />}
      isBusy={test.isPending}
      onClick={() => test.mutate(undefined)}
    />
  );
}

export function ConnectionsPage() {
  const connections = useConnections();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <ResourceListPage
      title={t('Connections')}
      lead={t(
        'Accounts and API keys of other services that workflows use. Weft stores them encrypted and never shows them.',
      )}
      create={{ label: t('New connection'), onClick: () => setIsCreating(true) }}
      columns={columns}
      query={connections}
      items={connections.data?.connections}
      getKey={(one) => one.name}
      empty={{
        icon: Cable,
        title: t('No connections yet'),
        text: t(
          'Connect an account at GitHub, Google or another service to use it in nodes. You authorize it once; Weft refreshes its tokens automatically.',
        ),
      }}
    >
      {isCreating && <ConnectionDialog onClose={() => setIsCreating(false)} />}
    </ResourceListPage>
  );
}
