import { LayoutTemplate } from 'lucide-react';
import type { TemplateSummary } from 'weft-client';
import { useTemplates } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';

const columns: readonly Column<TemplateSummary>[] = [
  { title: 'Name', cell: (one) => <span className="table__main">{one.templateName}</span> },
  { title: 'What it does', cell: (one) => one.description },
];

export function TemplatesPage() {
  const url = useUrlState();
  const list = useTemplates({ page: url.page });
  return (
    <Page title="Templates" lead="Workflows that are nearly finished: fill in a few values.">
      <ListTable
        label="Templates"
        columns={columns}
        items={list.data?.templates}
        keyOf={(one) => one.templateName}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState icon={<LayoutTemplate size={20} />} title="No templates" />}
      />
    </Page>
  );
}
