import { PencilLine, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { User } from 'weft-client';
import { client } from '../../data/client.ts';
import { useUsers } from '../../data/lists.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import { formatPlan } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { UserDialog } from './user-dialog.tsx';
import { t } from '../../i18n/index.ts';

function createColumns(selfId: string, onEdit: (user: User) => void): readonly Column<User>[] {
  return [
    {
      title: t('Email'),
      cell: (one) => (
        <>
          <span className="row">
            <span className="table__main truncate">{one.email}</span>
            {one.id === selfId && <Badge tone="accent">{t('You')}</Badge>}
          </span>
          {one.name !== '' && <span className="table__sub truncate">{one.name}</span>}
        </>
      ),
    },
    {
      title: t('Role'),
      className: 'table__tight',
      cell: (one) =>
        one.role === 'admin' ? (
          <Badge>{t('Administrator')}</Badge>
        ) : (
          <span className="soft">{t('Member')}</span>
        ),
    },
    {
      title: t('Plan'),
      className: 'table__tight table__narrow-hide',
      cell: (one) => <span className="soft">{formatPlan(one.plan)}</span>,
    },
    timeColumn(t('Created'), (one) => one.created_at),
    createActionsColumn((one) => (
      <>
        <IconButton
          label={t('Edit {{email}}', { email: one.email })}
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
            {t(
              'This also deletes everything that the user owns: workflows and their executions, secrets, API keys and custom nodes. This cannot be undone.',
            )}
          </DeleteButton>
        )}
      </>
    )),
  ];
}

export function UsersPage() {
  const users = useUsers();
  const selfId = useCurrentUser()?.id ?? '';
  const [open, setOpen] = useState<{ user: User | null } | null>(null);
  const columns = useMemo(() => createColumns(selfId, (user) => setOpen({ user })), [selfId]);
  return (
    <ResourceListPage
      title={t('Users')}
      lead={t(
        'Accounts on this server. Workflows and secrets are visible only to their owner, not to administrators.',
      )}
      create={{ label: t('New user'), onClick: () => setOpen({ user: null }) }}
      columns={columns}
      query={users}
      items={users.data?.users}
      getKey={(one) => one.id}
      empty={{ icon: UsersRound, title: t('No users') }}
    >
      {open !== null && (
        <UserDialog user={open.user} isSelf={open.user?.id === selfId} onClose={() => setOpen(null)} />
      )}
    </ResourceListPage>
  );
}
