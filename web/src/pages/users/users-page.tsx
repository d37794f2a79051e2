import { PencilLine, Plus, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { User } from 'weft-client';
import { client } from '../../data/client.ts';
import { useUsers } from '../../data/lists.ts';
import { useMe } from '../../data/me.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { UserDialog } from './user-dialog.tsx';

function columnsOf(selfId: string, onEdit: (user: User) => void): readonly Column<User>[] {
  return [
    {
      title: 'Email',
      cell: (one) => (
        <>
          <span className="row">
            <span className="table__main truncate">{one.email}</span>
            {one.id === selfId && <Badge tone="accent">you</Badge>}
          </span>
          {one.name !== '' && <span className="table__sub truncate">{one.name}</span>}
        </>
      ),
    },
    {
      title: 'Role',
      className: 'table__tight',
      cell: (one) =>
        one.role === 'admin' ? <Badge>administrator</Badge> : <span className="soft">member</span>,
    },
    {
      title: 'Plan',
      className: 'table__tight table__narrow-hide',
      cell: (one) => <span className="soft">{one.plan}</span>,
    },
    {
      title: 'Since',
      className: 'table__tight table__narrow-hide',
      cell: (one) => <Time at={one.created_at} />,
    },
    {
      title: '',
      className: 'table__tight',
      cell: (one) => (
        <div className="table__actions">
          <IconButton
            label={`Change ${one.email}`}
            size="small"
            icon={<PencilLine size={15} />}
            onClick={() => onEdit(one)}
          />
          {one.id !== selfId && (
            <DeleteButton
              name={one.email}
              mustType={one.email}
              run={() => client.users.delete(one.id)}
              changes={[['users']]}
            >
              Everything that this person owns goes, too: workflows with their history, secrets, keys, custom
              nodes. This cannot be taken back.
            </DeleteButton>
          )}
        </div>
      ),
    },
  ];
}

export function UsersPage() {
  const url = useUrlState();
  const list = useUsers(url.page);
  const selfId = useMe()?.id ?? '';
  const [open, setOpen] = useState<{ user: User | null } | null>(null);
  const columns = useMemo(() => columnsOf(selfId, (user) => setOpen({ user })), [selfId]);
  const create = (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setOpen({ user: null })}>
      New user
    </Button>
  );
  return (
    <Page
      title="Users"
      lead="Everybody with an account here. What one owns, nobody else sees, administrators included."
      actions={create}
    >
      <ListTable
        label="Users"
        columns={columns}
        items={list.data?.users}
        keyOf={(one) => one.id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<UsersRound size={20} />} title="No users" />}
      />
      {open !== null && (
        <UserDialog user={open.user} isSelf={open.user?.id === selfId} onClose={() => setOpen(null)} />
      )}
    </Page>
  );
}
