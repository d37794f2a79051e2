import { Waypoints } from 'lucide-react';
import { Link } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { useWorkflows } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Time } from '../../ui/time.tsx';

const columns: readonly Column<WorkflowSummary>[] = [
  {
    title: 'Name',
    cell: (one) => (
      <Link href={`/workflows/${one.id}`} className="table__main">
        {one.name}
      </Link>
    ),
  },
  { title: 'Status', cell: (one) => <StatusBadge status={one.status} /> },
  { title: 'Nodes', className: 'table__number', cell: (one) => one.node_count },
  { title: 'Executions', className: 'table__number', cell: (one) => one.execution_count },
  { title: 'Changed', cell: (one) => <Time at={one.updated_at} /> },
];

export function WorkflowsPage() {
  const url = useUrlState();
  const search = url.get('search');
  const list = useWorkflows({ page: url.page, ...(search === '' ? {} : { search }) });
  return (
    <Page title="Workflows">
      <div className="toolbar">
        <SearchField label="Search workflows" value={search} onChange={(text) => url.set({ search: text })} />
      </div>
      <ListTable
        label="Workflows"
        columns={columns}
        items={list.data?.workflows}
        keyOf={(one) => one.id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<Waypoints size={20} />} title="No workflows" />}
      />
    </Page>
  );
}
