import { useQuery } from '@tanstack/react-query';
import { ListVideo, Workflow } from 'lucide-react';
import { client } from '../../data/client.ts';
import { useUrlState } from '../../data/url-state.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from './range-picker.tsx';
import { RunHistory } from './run-history.tsx';
import { readRange } from './statistics.ts';
import { t } from '../../i18n/index.ts';

/** The run history of one workflow: volume, success and duration over time. */
export function HistoryPage({ workflowId }: { workflowId: string }) {
  const url = useUrlState();
  const range = readRange(url.get('range'));
  const workflow = useQuery({
    queryKey: ['workflows', 'name', workflowId],
    queryFn: async ({ signal }) => (await client.workflows.get(workflowId, { signal })).name,
  });
  return (
    <Page
      title={t('Run history')}
      lead={workflow.data ?? '\u00a0'}
      actions={
        <>
          <ButtonLink href={`/workflows/${workflowId}`} icon={<Workflow size={15} />}>
            {t('Editor')}
          </ButtonLink>
          <ButtonLink href={`/executions?workflow=${workflowId}`} icon={<ListVideo size={15} />}>
            {t('Executions')}
          </ButtonLink>
        </>
      }
    >
      {workflow.error === null ? (
        <>
          <div className="toolbar">
            <RangePicker value={range} onChange={(next) => url.set({ range: next })} />
          </div>
          <RunHistory workflowId={workflowId} range={range} />
        </>
      ) : (
        <ErrorAlert error={workflow.error} onRetry={() => void workflow.refetch()} />
      )}
    </Page>
  );
}
