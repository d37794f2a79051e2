import { UsersRound } from 'lucide-react';
import type { User } from 'weft-client';
import { useUsers } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const columns: readonly Column<User>[] = [
  { title: 'Email', cell: (one) => <span className="table__main">{one.email}</span> },
  { title: 'Role', cell: (one) => <>{one.role}</> },
  { title: 'Plan', cell: (one) => <>{one.plan}</> },
  { title: 'Since', cell: (one) => <Time at={one.created_at} /> },
];

export function UsersPage() {
  const url = useUrlState();
  const list = useUsers(url.page);
  return (
    <Page title="Users" lead="Everybody with an account here.">
      <ListTable
        label="Users"
        columns={columns}
        items={list.data?.users}
        keyOf={(one) => one.id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<UsersRound size={20} />} title="None yet" />}
      />
    </Page>
  );
}
