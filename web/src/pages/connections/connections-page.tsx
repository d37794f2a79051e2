import { Activity, Cable, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedAccount, NewConnectedAccount } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { useConnections } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { actionsColumn, timeColumn, type Column } from '../../ui/list-table.tsx';
import { Alert } from '../../ui/alert.tsx';
import { ResourceListPage } from '../../ui/resource-list-page.tsx';
import { toast } from '../../ui/toast.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { CreateConnectionDialog } from './create-connection-dialog.tsx';
import { RETURN_TO, providerName } from './providers.ts';
import { t } from '../../i18n/index.ts';

const STATUSES: Readonly<Record<ConnectedAccount['status'], { label: string; tone: Tone }>> = {
  pending: { label: t('Not authorized'), tone: 'warn' },
  connected: { label: t('Connected'), tone: 'good' },
  needs_reauthorization: { label: t('Reauthorization required'), tone: 'warn' },
  failing: { label: t('Failing'), tone: 'bad' },
};

const columns: readonly Column<ConnectedAccount>[] = [
  {
    title: t('Name'),
    cell: (one) => (
      <>
        <code className="table__main">{one.name}</code>
        <span className="table__sub">
          {providerName(one.provider)}
          {one.error !== null && <>: {one.error}</>}
        </span>
      </>
    ),
  },
  {
    title: t('Status'),
    className: 'table__tight',
    cell: ({ status }) => (
      <Badge tone={STATUSES[status].tone} hasDot>
        {STATUSES[status].label}
      </Badge>
    ),
  },
  timeColumn(t('Refreshed'), (one) => one.refreshed_at),
  actionsColumn((one) => (
    <>
      <AuthorizeButton connection={one} />
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

/** Starts the authorization at the service. */
function AuthorizeButton({ connection: { name, grant_type, status } }: { connection: ConnectedAccount }) {
  const authorize = useMutationWithToast(() => client.connections.authorize(name, { return_to: RETURN_TO }), {
    changes: [],
    failed: t('Could not start the authorization'),
    onDone: ({ connect_url }) => location.assign(connect_url),
  });
  if (grant_type === 'client_credentials') return null;
  return status === 'connected' ? (
    <IconButton
      label={t('Reauthorize {{name}}', { name })}
      size="small"
      icon={<RefreshCw size={15} />}
      isBusy={authorize.isPending}
      onClick={() => authorize.mutate(undefined)}
    />
  ) : (
    <Button
      size="small"
      isBusy={authorize.isPending}
      aria-label={t('Authorize {{name}}', { name })}
      onClick={() => authorize.mutate(undefined)}
    >
      {t('Authorize')}
    </Button>
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
  const [created, setCreated] = useState<NewConnectedAccount | null>(null);
  return (
    <ResourceListPage
      title={t('Connections')}
      lead={t(
        'Accounts at other services that workflows use. Weft stores their tokens, never your passwords.',
      )}
      create={{ label: t('New connection'), onClick: () => setIsCreating(true) }}
      above={<AuthorizationResult />}
      columns={columns}
      query={connections}
      items={connections.data?.connections}
      keyOf={(one) => one.name}
      empty={{
        icon: Cable,
        title: t('No connections yet'),
        text: t(
          'Connect an account at GitHub, Google or another service to use it in nodes. You authorize it once; Weft refreshes its tokens automatically.',
        ),
      }}
    >
      {isCreating && (
        <CreateConnectionDialog
          onClose={() => setIsCreating(false)}
          onMade={(one) => {
            setIsCreating(false);
            if (one.connect_url !== null) setCreated(one);
            else toast({ tone: 'good', title: t('Connection “{{name}}” created', { name: one.name }) });
          }}
        />
      )}
      {created !== null && <ConnectDialog made={created} onClose={() => setCreated(null)} />}
    </ResourceListPage>
  );
}

/** The result that the authorization redirect puts into the URL. */
function AuthorizationResult() {
  const url = useUrlState();
  const name = url.get('connection');
  const error = url.get('error');
  if (name === '') return null;
  return (
    <div className="toolbar">
      <Alert
        tone={error === '' ? 'good' : 'bad'}
        action={
          <Button size="small" onClick={() => url.set({ connection: '', status: '', error: '' })}>
            {t('Dismiss')}
          </Button>
        }
      >
        {error === ''
          ? t('“{{name}}” is connected.', { name })
          : t('Could not connect “{{name}}”: {{error}}', { name, error })}
      </Alert>
    </div>
  );
}
