import { LayoutTemplate, SearchX } from 'lucide-react';
import { useCallback } from 'react';
import { useTemplates } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Page } from '../../ui/page.tsx';
import { Pagination } from '../../ui/lists/pagination.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { TemplateGallery } from './template-gallery.tsx';
import { TemplatesLoading } from './templates-loading.tsx';
import { t } from '../../i18n/index.ts';

export function TemplatesPage() {
  const url = useUrlState();
  const search = url.get('search');
  const { set } = url;
  const onSearch = useCallback((text: string) => set({ search: text }), [set]);
  const list = useTemplates({ page: url.page, ...(search === '' ? {} : { search }) });
  return (
    <Page title={t('Templates')} lead={t('Start from a ready-made workflow and fill in your own values.')}>
      <div className="toolbar">
        <SearchField label={t('Search templates')} value={search} onChange={onSearch} />
      </div>
      {list.error !== null && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      {list.data === undefined ? (
        list.error === null && <TemplatesLoading />
      ) : list.data.templates.length > 0 ? (
        <>
          <TemplateGallery templates={list.data.templates} />
          {list.data.pagination.total_pages > 1 && (
            <Pagination pageInfo={list.data.pagination} onPage={url.setPage} />
          )}
        </>
      ) : (
        <EmptyState
          icon={search === '' ? <LayoutTemplate size={20} /> : <SearchX size={20} />}
          title={search === '' ? t('No templates') : t('No matching templates')}
          {...(search === ''
            ? {}
            : { actions: <Button onClick={() => set({ search: '' })}>{t('Clear search')}</Button> })}
        />
      )}
    </Page>
  );
}
