import { FileUp, SearchX, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useTags, useWorkflows } from '../../data/lists.ts';
import { useSelection } from '../../data/use-selection.ts';
import { useUrlState } from '../../data/url-state.ts';
import { createLazyComponent } from '../../ui/lazy-component.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Lazy } from '../../ui/lazy.tsx';
import { createColumns } from './columns.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { readSorting, SORTS, writeSorting } from './sorting.ts';
import { WorkflowSelectionBar } from './workflow-selection-bar.tsx';
import { t } from '../../i18n/index.ts';

const FirstSteps = createLazyComponent(async () => (await import('../templates/first-steps.tsx')).FirstSteps);

const STATUSES = [
  { value: 'all', label: t('All') },
  { value: 'active', label: t('Active') },
  { value: 'inactive', label: t('Inactive') },
  { value: 'draft', label: t('Drafts') },
] as const;
type Status = (typeof STATUSES)[number]['value'];

export function WorkflowsPage() {
  const url = useUrlState();
  const [open, setOpen] = useState<'create' | 'import' | null>(null);
  const { get, set } = url;
  const search = get('search');
  const tag = get('tag');
  const status = STATUSES.find(({ value }) => value === get('status'))?.value ?? 'all';
  const isFiltered = search !== '' || tag !== '' || status !== 'all';
  const sorting = useMemo(() => readSorting(get), [get]);
  const list = useWorkflows({
    page: url.page,
    ...sorting,
    ...(search === '' ? {} : { search }),
    ...(tag === '' ? {} : { tag }),
    ...(status === 'all' ? {} : { status }),
  });
  const tags = useTags();
  const selection = useSelection(list.data?.workflows);
  const { clear } = selection;
  const onChange = useCallback(
    (changes: Readonly<Record<string, string>>) => {
      set(changes);
      clear();
    },
    [set, clear],
  );
  const onSearch = useCallback((text: string) => onChange({ search: text }), [onChange]);
  const columns = useMemo(
    () =>
      createColumns({
        onTag: (one) => onChange({ tag: one }),
        selection,
        sorting,
        onSort: (next) => set(writeSorting(next)),
      }),
    [onChange, selection, sorting, set],
  );
  const trash = (
    <ButtonLink href="/workflows/deleted" variant="quiet" icon={<Trash2 size={15} />}>
      {t('Trash')}
    </ButtonLink>
  );
  const dialogs = (
    <>
      {open === 'create' && <CreateDialog onClose={() => setOpen(null)} />}
      {open === 'import' && <ImportDialog onClose={() => setOpen(null)} />}
    </>
  );
  const isFirstTime = !isFiltered && list.data?.pagination.total === 0;

  if (isFirstTime)
    return (
      <Page title={t('Workflows')} actions={trash}>
        <Lazy>
          <FirstSteps onCreate={() => setOpen('create')} onImport={() => setOpen('import')} />
        </Lazy>
        {dialogs}
      </Page>
    );
  return (
    <ResourceListPage
      title={t('Workflows')}
      create={{ label: t('New workflow'), onClick: () => setOpen('create') }}
      actions={
        <>
          {trash}
          <Button icon={<FileUp size={15} />} onClick={() => setOpen('import')}>
            {t('Import')}
          </Button>
        </>
      }
      above={
        <div className="toolbar">
          <SearchField label={t('Search workflows')} value={search} onChange={onSearch} />
          <SegmentedControl<Status>
            label={t('Status')}
            value={status}
            options={STATUSES}
            onChange={(next) => onChange({ status: next === 'all' ? '' : next })}
          />
          {(tags.length > 0 || tag !== '') && (
            <Select
              aria-label={t('Tag')}
              value={tag}
              onChange={({ target }) => onChange({ tag: target.value })}
            >
              <option value="">{t('Any tag')}</option>
              {(tag === '' || tags.includes(tag) ? tags : [tag, ...tags]).map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </Select>
          )}
          <Select
            aria-label={t('Sort')}
            value={sorting.sort}
            onChange={({ target }) => set({ sort: target.value, direction: '' })}
          >
            {SORTS.map(([field, label]) => (
              <option key={field} value={field}>
                {label}
              </option>
            ))}
          </Select>
        </div>
      }
      columns={columns}
      query={list}
      items={list.data?.workflows}
      getKey={(one) => one.id}
      empty={{
        icon: SearchX,
        title: t('No matching workflows'),
        text: t('The search covers names and descriptions.'),
        actions: (
          <Button onClick={() => onChange({ search: '', tag: '', status: '' })}>{t('Clear filters')}</Button>
        ),
      }}
    >
      <WorkflowSelectionBar selection={selection} />
      {dialogs}
    </ResourceListPage>
  );
}
