import { useQuery } from '@tanstack/react-query';
import type { Node } from 'weft-client';
import { client } from '../../data/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';

const bytes = (size: number): string =>
  size < 1_024
    ? `${size} B`
    : size < 1_048_576
      ? `${(size / 1_024).toFixed(1)} KB`
      : `${(size / 1_048_576).toFixed(1)} MB`;

const portsOf = (ports: readonly { name: string; type: string }[]) => (
  <span className="scope-list">
    {ports.map(({ name, type }) => (
      <code key={name} className="tag">
        {name}: {type}
      </code>
    ))}
  </span>
);

const columns: readonly Column<Node>[] = [
  {
    title: 'Version',
    className: 'table__tight',
    cell: (one) => <code className="table__main">{one.version}</code>,
  },
  { title: 'Inputs', cell: (one) => portsOf(one.inputs) },
  { title: 'Outputs', cell: (one) => portsOf(one.outputs) },
  {
    title: 'Code',
    className: 'table__tight',
    cell: ({ implementation }) =>
      implementation === null ? null : (
        <span title={`SHA-256 ${implementation.sha256}`} className="numbers">
          {bytes(implementation.size)}
          {implementation.dependencies.length > 0 && `, ${implementation.dependencies.length} packages`}
        </span>
      ),
  },
];

/** All versions of a node, newest first. */
export function VersionsDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const versions = useQuery({
    queryKey: ['nodes', 'versions', node.id],
    queryFn: ({ signal }) => client.nodes.versions.list(node.id, { signal }),
  });
  return (
    <Dialog
      isOpen
      size="huge"
      onClose={onClose}
      title={`Versions of ${node.id}`}
      description="Workflows keep using the version that they were saved with."
      foot={<Button onClick={onClose}>Close</Button>}
    >
      <ListTable
        label={`Versions of ${node.id}`}
        columns={columns}
        items={versions.data?.versions}
        keyOf={(one) => one.version}
        error={versions.error}
        onRetry={() => void versions.refetch()}
        empty={null}
      />
    </Dialog>
  );
}
