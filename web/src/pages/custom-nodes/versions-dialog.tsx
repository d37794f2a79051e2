import { useQuery } from '@tanstack/react-query';
import type { Node } from 'weft-client';
import { client } from '../../data/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ListTable, type Column } from '../../ui/lists/list-table.tsx';
import { locale, t, tPlural } from '../../i18n/index.ts';

const decimal = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const bytes = (size: number): string =>
  size < 1_024
    ? `${size} B`
    : size < 1_048_576
      ? `${decimal.format(size / 1_024)} KB`
      : `${decimal.format(size / 1_048_576)} MB`;

const renderPorts = (ports: readonly { name: string; type: string }[]) => (
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
    title: t('Version'),
    className: 'table__tight',
    cell: (one) => <code className="table__main">{one.version}</code>,
  },
  { title: t('Inputs'), cell: (one) => renderPorts(one.inputs) },
  { title: t('Outputs'), cell: (one) => renderPorts(one.outputs) },
  {
    title: t('Code'),
    className: 'table__tight',
    cell: ({ implementation }) =>
      implementation === null ? null : (
        <span title={`SHA-256 ${implementation.sha256}`} className="numbers">
          {bytes(implementation.size)}
          {implementation.dependencies.length > 0 &&
            `, ${tPlural(implementation.dependencies.length, '{{count}} package', '{{count}} packages')}`}
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
      title={t('Versions of {{id}}', { id: node.id })}
      description={t('Workflows keep using the version that they were saved with.')}
      foot={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <ListTable
        label={t('Versions of {{id}}', { id: node.id })}
        columns={columns}
        items={versions.data?.versions}
        getKey={(one) => one.version}
        error={versions.error}
        onRetry={() => void versions.refetch()}
        empty={null}
      />
    </Dialog>
  );
}
