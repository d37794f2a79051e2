import { Blocks, History, PackagePlus, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Node, NodeDetail } from 'weft-client';
import { useAction } from '../../data/action.ts';
import { client } from '../../data/client.ts';
import { useNodes } from '../../data/lists.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { RegisterDialog } from './register-dialog.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

function columnsOf(on: {
  versions: (node: Node) => void;
  register: (node: Node) => void;
}): readonly Column<Node>[] {
  return [
    {
      title: 'Name',
      cell: (one) => (
        <>
          <code className="table__main">{one.id}</code>
          <span className="table__sub">{one.description}</span>
        </>
      ),
    },
    { title: 'Newest', className: 'table__tight', cell: (one) => <code>{one.version}</code> },
    {
      title: 'Takes',
      className: 'table__narrow-hide',
      cell: (one) => <span className="soft">{one.inputs.map(({ name }) => name).join(', ')}</span>,
    },
    {
      title: '',
      className: 'table__tight',
      cell: (one) => (
        <div className="table__actions">
          <IconButton
            label={`Versions of ${one.id}`}
            size="small"
            icon={<History size={15} />}
            onClick={() => on.versions(one)}
          />
          <IconButton
            label={`New version of ${one.id}`}
            size="small"
            icon={<PackagePlus size={15} />}
            onClick={() => on.register(one)}
          />
          <DeleteButton name={one.id} run={() => client.nodes.delete(one.id)} changes={[['nodes']]}>
            All its versions go. It is kept while a workflow uses one of them.
          </DeleteButton>
        </div>
      ),
    },
  ];
}

export function CustomNodesPage() {
  const nodes = useNodes();
  const [open, setOpen] = useState<
    { what: 'register'; node: NodeDetail | null } | { what: 'versions'; node: Node } | null
  >(null);
  // Its code comes with it alone: a list of all could be long.
  const begin = useAction(({ id }: Node) => client.nodes.get(id), {
    changes: [],
    onDone: (node) => setOpen({ what: 'register', node }),
    failed: 'Its code could not be read',
  });
  const { mutate: beginWith } = begin;
  const columns = useMemo(
    () =>
      columnsOf({
        versions: (node) => setOpen({ what: 'versions', node }),
        register: (node) => beginWith(node),
      }),
    [beginWith],
  );
  const close = (): void => setOpen(null);
  const create = (
    <Button
      look="primary"
      icon={<Plus size={15} />}
      onClick={() => setOpen({ what: 'register', node: null })}
    >
      Register a node
    </Button>
  );
  return (
    <Page
      title="Custom nodes"
      lead="Nodes of your own, in JavaScript. They run in a place where there is nothing to reach: no network, no files, no clock."
      actions={create}
    >
      <ListTable
        label="Custom nodes"
        columns={columns}
        items={nodes.data?.nodes.filter((one) => one.implementation !== null)}
        keyOf={(one) => one.id}
        error={nodes.error}
        onRetry={() => void nodes.refetch()}
        empty={
          <EmptyState icon={<Blocks size={20} />} title="No custom nodes yet">
            What you would write in many code nodes you write once here: inputs with names and types, a
            function, and outputs. It is then in the palette like any other node.
          </EmptyState>
        }
      />
      {open?.what === 'register' && <RegisterDialog node={open.node} onClose={close} />}
      {open?.what === 'versions' && <VersionsDialog node={open.node} onClose={close} />}
    </Page>
  );
}
