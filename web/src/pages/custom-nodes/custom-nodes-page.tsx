import { Blocks } from 'lucide-react';
import type { Node } from 'weft-client';
import { useNodes } from '../../data/lists.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';

const columns: readonly Column<Node>[] = [
  { title: 'Name', cell: (one) => <code className="table__main">{one.id}</code> },
  { title: 'Version', cell: (one) => one.version },
  { title: 'What it does', cell: (one) => one.description },
];

export function CustomNodesPage() {
  const nodes = useNodes();
  return (
    <Page
      title="Custom nodes"
      lead="Nodes of your own, in JavaScript, that run where there is nothing to reach."
    >
      <ListTable
        label="Custom nodes"
        columns={columns}
        items={nodes.data?.nodes.filter((one) => one.custom)}
        keyOf={(one) => one.id}
        error={nodes.error}
        onRetry={() => void nodes.refetch()}
        empty={<EmptyState icon={<Blocks size={20} />} title="No custom nodes" />}
      />
    </Page>
  );
}
