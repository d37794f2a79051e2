import { Plug } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Pack } from 'weft-client';
import { useCurrentUser } from '../../data/current-user.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../../ui/button.tsx';
import { actionsColumn, timeColumn, type Column } from '../../ui/list-table.tsx';
import { ResourceListPage } from '../../ui/resource-list-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { RemoveButton } from './remove-dialog.tsx';
import { usePacks, usePackWorkflows } from './use-packs.ts';

/** The list of installed packs. */
export function ConnectorsPage() {
  const isAdmin = useCurrentUser()?.role === 'admin';
  const { page, get, set } = useUrlState();
  const search = get('search');
  const packs = usePacks({ page, search });
  const [open, setOpen] = useState<{ pack: Pack | null } | null>(null);
  const columns = useMemo(() => createColumns(isAdmin, (pack) => setOpen({ pack })), [isAdmin]);
  const hasNone = search === '' && packs.data?.pagination.total === 0;
  const add = { label: 'Add connector', onClick: () => setOpen({ pack: null }) };
  return (
    <ResourceListPage
      title="Connectors"
      lead="Node types that are made from the OpenAPI documents of services. Every user can use their operations."
      create={isAdmin ? add : undefined}
      columns={columns}
      query={packs}
      items={packs.data?.packs}
      getKey={(one) => one.name}
      above={
        !hasNone && (
          <div className="toolbar">
            <SearchField
              label="Search connectors"
              value={search}
              onChange={(text) => set({ search: text })}
            />
          </div>
        )
      }
      empty={
        hasNone
          ? {
              icon: Plug,
              title: 'No connectors yet',
              text: isAdmin
                ? 'Add the OpenAPI document of a service, from a file or its address. Each of its operations can then be added to workflows.'
                : 'An administrator can add the OpenAPI documents of services.',
            }
          : { icon: Plug, title: 'No matching connectors' }
      }
    >
      {open !== null && <InstallDialog pack={open.pack} onClose={() => setOpen(null)} />}
    </ResourceListPage>
  );
}

function createColumns(isAdmin: boolean, onUpdate: (pack: Pack) => void): readonly Column<Pack>[] {
  return [
    {
      title: 'Name',
      cell: (one) => (
        <>
          <Link href={`/settings/connectors/${encodeURIComponent(one.name)}`} className="table__main">
            {one.title}
          </Link>
          <code className="table__sub">{one.node_type}</code>
        </>
      ),
    },
    {
      title: 'Versions',
      className: 'table__tight',
      cell: ({ versions }) => (
        <code title={versions.join(', ')}>
          {versions[0]}
          {versions.length > 1 && ` + ${versions.length - 1}`}
        </code>
      ),
    },
    {
      title: 'Operations',
      className: 'table__tight',
      cell: (one) => <span className="numbers">{one.operations.toLocaleString('en')}</span>,
    },
    ...(isAdmin
      ? [{ title: 'Used by', className: 'table__tight', cell: (one: Pack) => <UsedBy name={one.name} /> }]
      : []),
    timeColumn('Installed', (one) => one.installed_at),
    ...(isAdmin
      ? [
          actionsColumn((one: Pack) => (
            <>
              <Button size="small" aria-label={`Update ${one.title}`} onClick={() => onUpdate(one)}>
                Update…
              </Button>
              <RemoveButton pack={one} />
            </>
          )),
        ]
      : []),
  ];
}

function UsedBy({ name }: { name: string }) {
  const { data, error } = usePackWorkflows(name);
  if (error !== null) return <span className="faint">unknown</span>;
  if (data === undefined) return null;
  const { workflows, complete } = data;
  return <span className="numbers">{countText(workflows.length, complete)}</span>;
}

export function countText(count: number, isComplete: boolean): string {
  if (!isComplete) return `more than ${count} workflows`;
  return count === 1 ? '1 workflow' : `${count} workflows`;
}
