import { LockKeyhole } from 'lucide-react';
import type { Secret } from 'weft-client';
import { useSecrets } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const columns: readonly Column<Secret>[] = [
  { title: 'Name', cell: (one) => <code className="table__main">{one.name}</code> },
  { title: 'Hosts', cell: (one) => <>{one.hosts?.join(', ') ?? 'any'}</> },
  { title: 'Changed', cell: (one) => <Time at={one.updated_at} /> },
];

export function SecretsPage() {
  const url = useUrlState();
  const list = useSecrets(url.page);
  return (
    <Page title="Secrets" lead="Values that workflows use and nobody reads.">
      <ListTable
        label="Secrets"
        columns={columns}
        items={list.data?.secrets}
        keyOf={(one) => one.name}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<LockKeyhole size={20} />} title="None yet" />}
      />
    </Page>
  );
}
