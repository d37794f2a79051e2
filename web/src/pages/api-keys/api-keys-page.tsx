import { KeyRound } from 'lucide-react';
import type { ApiKey } from 'weft-client';
import { useApiKeys } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const columns: readonly Column<ApiKey>[] = [
  { title: 'Name', cell: (one) => <span className="table__main">{one.name}</span> },
  { title: 'Begins with', cell: (one) => <code>{one.prefix}…</code> },
  { title: 'Last used', cell: (one) => <Time at={one.last_used_at} /> },
];

export function ApiKeysPage() {
  const url = useUrlState();
  const list = useApiKeys(url.page);
  return (
    <Page title="API keys" lead="For programs that call the service as you.">
      <ListTable
        label="API keys"
        columns={columns}
        items={list.data?.api_keys}
        keyOf={(one) => one.id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<KeyRound size={20} />} title="None yet" />}
      />
    </Page>
  );
}
