import { Plug } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Pack } from 'weft-client';
import { useCurrentUser } from '../../data/current-user.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../../ui/button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { UpdateDialog } from './update-dialog.tsx';
import { RemoveButton } from './remove-dialog.tsx';
import { usePacks, usePackWorkflows } from './use-packs.ts';
import { locale, t, tPlural } from '../../i18n/index.ts';

/** The list of installed packs. */
export function ConnectorsPage() {
  const isAdmin = useCurrentUser()?.role === 'admin';
  const { page, get, set } = useUrlState();
  const search = get('search');
  const packs = usePacks({ page, search });
  const [open, setOpen] = useState<{ pack: Pack | null } | null>(null);
  const columns = useMemo(() => createColumns(isAdmin, (pack) => setOpen({ pack })), [isAdmin]);
  const hasNone = search === '' && packs.data?.pagination.total === 0;
  const add = { label: t('Add connector'), onClick: () => setOpen({ pack: null }) };
  return (
    <ResourceListPage
      title={t('Connectors')}
      lead={t('Node types from OpenAPI documents and npm packages. Every user can use their operations.')}
      create={isAdmin ? add : undefined}
      columns={columns}
      query={packs}
      items={packs.data?.packs}
      getKey={(one) => one.name}
      above={
        !hasNone && (
          <div className="toolbar">
            <SearchField
              label={t('Search connectors')}
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
              title: t('No connectors yet'),
              text: isAdmin
                ? t(
                    'Add the OpenAPI document of a service or an npm package. Each of its operations can then be added to workflows.',
                  )
                : t('An administrator can add the OpenAPI documents of services.'),
            }
          : { icon: Plug, title: t('No matching connectors') }
      }
    >
      {open?.pack === null && <InstallDialog pack={null} onClose={() => setOpen(null)} />}
      {open !== null && open.pack !== null && <UpdateDialog pack={open.pack} onClose={() => setOpen(null)} />}
    </ResourceListPage>
  );
}

function createColumns(isAdmin: boolean, onUpdate: (pack: Pack) => void): readonly Column<Pack>[] {
  return [
    {
      title: t('Name'),
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
      title: t('Versions'),
      className: 'table__tight',
      cell: ({ versions }) => (
        <code title={versions.join(', ')}>
          {versions[0]}
          {versions.length > 1 && ` + ${versions.length - 1}`}
        </code>
      ),
    },
    {
      title: t('Operations'),
      className: 'table__tight',
      cell: (one) => <span className="numbers">{one.operations.toLocaleString(locale)}</span>,
    },
    ...(isAdmin
      ? [{ title: t('Used by'), className: 'table__tight', cell: (one: Pack) => <UsedBy name={one.name} /> }]
      : []),
    timeColumn(t('Installed'), (one) => one.installed_at),
    ...(isAdmin
      ? [
          createActionsColumn((one: Pack) => (
            <>
              <Button
                size="small"
                aria-label={t('Update {{name}}', { name: one.title })}
                onClick={() => onUpdate(one)}
              >
                {t('Update…')}
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
  if (error !== null) return <span className="faint">{t('unknown')}</span>;
  if (data === undefined) return null;
  const { workflows, complete } = data;
  return <span className="numbers">{countText(workflows.length, complete)}</span>;
}

export function countText(count: number, isComplete: boolean): string {
  return isComplete
    ? tPlural(count, '{{count}} workflow', '{{count}} workflows')
    : tPlural(count, 'more than {{count}} workflow', 'more than {{count}} workflows');
}
