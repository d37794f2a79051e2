import { useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Page } from '../../ui/page.tsx';

/** One workflow. */
export function EditorPage({ workflowId }: { workflowId: string }) {
  const workflow = useQuery({
    queryKey: ['workflows', 'one', workflowId],
    queryFn: ({ signal }) => client.workflows.get(workflowId, { signal }),
  });
  return (
    <Page title={workflow.data?.name ?? 'Workflow'} lead={workflow.data?.description}>
      {workflow.error !== null && (
        <FaultNotice error={workflow.error} onRetry={() => void workflow.refetch()} />
      )}
      {workflow.data !== undefined && <JsonTree name="definition" value={workflow.data.definition} />}
    </Page>
  );
}
