import { Blocks, History, PackagePlus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Node, NodeDetail } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { useNodes } from '../../data/lists.ts';
import { IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { RegisterDialog } from './register-dialog.tsx';
import { VersionsDialog } from './versions-dialog.tsx';
import { t } from '../../i18n/index.ts';

function createColumns(on: {
  versions: (node: Node) => void;
  register: (node: Node) => void;
}): readonly Column<Node>[] {
  return [
    {
      title: t('Name'),
      cell: (one) => (
        <>
          <code className="table__main">{one.id}</code>
          <span className="table__sub">{one.description}</span>
        </>
      ),
    },
    { title: t('Latest version'), className: 'table__tight', cell: (one) => <code>{one.version}</code> },
    {
      title: t('Inputs'),
      className: 'table__narrow-hide',
      cell: (one) => <span className="soft">{one.inputs.map(({ name }) => name).join(', ')}</span>,
    },
    createActionsColumn((one) => (
      <>
        <IconButton
          label={t('Versions of {{id}}', { id: one.id })}
          size="small"
          icon={<History size={15} />}
          onClick={() => on.versions(one)}
        />
        <IconButton
          label={t('New version of {{id}}', { id: one.id })}
          size="small"
          icon={<PackagePlus size={15} />}
          onClick={() => on.register(one)}
        />
        <DeleteButton name={one.id} run={() => client.nodes.delete(one.id)} changes={[['nodes']]}>
          {t('This deletes all versions. A node that a workflow uses cannot be deleted.')}
        </DeleteButton>
      </>
    )),
  ];
}

export function CustomNodesPage() {
  const nodes = useNodes();
  const [open, setOpen] = useState<
    { what: 'register'; node: NodeDetail | null } | { what: 'versions'; node: Node } | null
  >(null);
  // The list does not include code.
  const begin = useMutationWithToast(({ id }: Node) => client.nodes.get(id), {
    changes: [],
    onDone: (node) => setOpen({ what: 'register', node }),
    failed: t('Could not load the code'),
  });
  const { mutate: beginWith } = begin;
  const columns = useMemo(
    () =>
      createColumns({
        versions: (node) => setOpen({ what: 'versions', node }),
        register: (node) => beginWith(node),
      }),
    [beginWith],
  );
  const close = (): void => setOpen(null);
  return (
    <ResourceListPage
      title={t('Custom nodes')}
      lead={t(
        'Your own node types, written in JavaScript. They run in a sandbox without access to the network, the file system or the clock.',
      )}
      create={{ label: t('New custom node'), onClick: () => setOpen({ what: 'register', node: null }) }}
      columns={columns}
      query={nodes}
      items={nodes.data?.nodes.filter((one) => one.implementation !== null)}
      getKey={(one) => one.id}
      empty={{
        icon: Blocks,
        title: t('No custom nodes yet'),
        text: t(
          'Write code once and reuse it in every workflow: define typed inputs, a function and outputs. The node then appears in the node palette.',
        ),
      }}
    >
      {open?.what === 'register' && <RegisterDialog node={open.node} onClose={close} />}
      {open?.what === 'versions' && <VersionsDialog node={open.node} onClose={close} />}
    </ResourceListPage>
  );
}
