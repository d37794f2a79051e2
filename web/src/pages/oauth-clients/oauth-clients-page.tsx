import { AppWindow } from 'lucide-react';
import type { OAuthClient } from 'weft-client';
import { useOAuthClients } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const columns: readonly Column<OAuthClient>[] = [
  { title: 'Name', cell: (one) => <span className="table__main">{one.name}</span> },
  { title: 'Client id', cell: (one) => <code>{one.client_id}</code> },
  { title: 'Last used', cell: (one) => <Time at={one.last_used_at} /> },
];

export function OAuthClientsPage() {
  const url = useUrlState();
  const list = useOAuthClients(url.page);
  return (
    <Page title="OAuth clients" lead="Applications that act for people who allowed it.">
      <ListTable
        label="OAuth clients"
        columns={columns}
        items={list.data?.clients}
        keyOf={(one) => one.client_id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<AppWindow size={20} />} title="None yet" />}
      />
    </Page>
  );
}
