import { Activity, Cable, Plus, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedAccount, NewConnectedAccount } from 'weft-client';
import { useAction } from '../../data/action.ts';
import { client } from '../../data/client.ts';
import { useConnections } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { CreateConnectionDialog } from './create-connection-dialog.tsx';
import { RETURN_TO, providerName } from './providers.ts';

const STATUSES: Readonly<Record<ConnectedAccount['status'], { words: string; tone: Tone }>> = {
  pending: { words: 'not allowed yet', tone: 'warn' },
  connected: { words: 'connected', tone: 'good' },
  needs_reauthorization: { words: 'to be allowed again', tone: 'warn' },
  failing: { words: 'failing', tone: 'bad' },
};

const columns: readonly Column<ConnectedAccount>[] = [
  {
    title: 'Name',
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
    title: 'Status',
    className: 'table__tight',
    cell: ({ status }) => (
      <Badge tone={STATUSES[status].tone} hasDot>
        {STATUSES[status].words}
      </Badge>
    ),
  },
  {
    title: 'Renewed',
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Time at={one.refreshed_at} />,
  },
  {
    title: '',
    className: 'table__tight',
    cell: (one) => (
      <div className="table__actions">
        <AllowButton connection={one} />
        <TestButton name={one.name} />
        <DeleteButton
          name={one.name}
          run={() => client.connections.delete(one.name)}
          changes={[['connections']]}
        >
          Its tokens are forgotten here; the service itself may still list the app. While active workflows use
          it, it is kept.
        </DeleteButton>
      </div>
    ),
  },
];

/** To the service, where a person allows it, for the first time or again. */
function AllowButton({ connection: { name, grant_type, status } }: { connection: ConnectedAccount }) {
  const allow = useAction(() => client.connections.authorize(name, { return_to: RETURN_TO }), {
    changes: [],
    failed: 'There is no way there',
    onDone: ({ connect_url }) => location.assign(connect_url),
  });
  if (grant_type === 'client_credentials') return null;
  return status === 'connected' ? (
    <IconButton
      label={`Allow ${name} again`}
      size="small"
      icon={<RefreshCw size={15} />}
      isBusy={allow.isPending}
      onClick={() => allow.mutate(undefined)}
    />
  ) : (
    <Button
      size="small"
      isBusy={allow.isPending}
      aria-label={`Allow ${name}`}
      onClick={() => allow.mutate(undefined)}
    >
      Allow
    </Button>
  );
}

function TestButton({ name }: { name: string }) {
  const test = useAction(() => client.connections.test(name), {
    changes: [['connections']],
    failed: 'It was not tested',
    onDone: ({ ok, message }) =>
      toast({
        tone: ok ? 'good' : 'bad',
        title: ok ? `${name} works` : `${name} does not work`,
        text: message,
      }),
  });
  return (
    <IconButton
      label={`Test ${name}`}
      size="small"
      icon={<Activity size={15} />}
      isBusy={test.isPending}
      onClick={() => test.mutate(undefined)}
    />
  );
}

export function ConnectionsPage() {
  const url = useUrlState();
  const list = useConnections(url.page);
  const [isCreating, setIsCreating] = useState(false);
  const [made, setMade] = useState<NewConnectedAccount | null>(null);
  const create = (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setIsCreating(true)}>
      New connection
    </Button>
  );
  // What the browser brings back from the other service.
  const returned = url.get('connection');
  const refused = url.get('error');
  return (
    <Page
      title="Connections"
      lead="Accounts at other services that workflows act with. Passwords stay there, tokens stay here."
      actions={create}
    >
      <div className="stack">
        {returned !== '' && (
          <Notice
            tone={refused === '' ? 'good' : 'bad'}
            action={
              <Button size="small" onClick={() => url.set({ connection: '', status: '', error: '' })}>
                Dismiss
              </Button>
            }
          >
            {refused === '' ? `“${returned}” is connected.` : `“${returned}” was not connected: ${refused}`}
          </Notice>
        )}
        <div>
          <ListTable
            label="Connections"
            columns={columns}
            items={list.data?.connections}
            keyOf={(one) => one.name}
            place={list.data?.pagination}
            onPage={url.setPage}
            error={list.error}
            onRetry={() => void list.refetch()}
            empty={
              <EmptyState icon={<Cable size={20} />} title="No connections yet">
                A node that works with your account at GitHub, Google or another service needs a connection:
                you allow it once over there, and its tokens are renewed here for as long as they hold.
              </EmptyState>
            }
          />
        </div>
      </div>
      {isCreating && (
        <CreateConnectionDialog
          onClose={() => setIsCreating(false)}
          onMade={(one) => {
            setIsCreating(false);
            if (one.connect_url !== null) setMade(one);
            else toast({ tone: 'good', title: `“${one.name}” was stored` });
          }}
        />
      )}
      {made !== null && <ConnectDialog made={made} onClose={() => setMade(null)} />}
    </Page>
  );
}
