import { useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { FaultNotice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';

export function SystemPage() {
  const health = useQuery({ queryKey: ['health'], queryFn: ({ signal }) => client.health.get({ signal }) });
  return (
    <Page title="System">
      {health.error !== null && <FaultNotice error={health.error} onRetry={() => void health.refetch()} />}
      {health.data !== undefined && (
        <div className="stack">
          <div>
            <StatusBadge status={health.data.status} />
          </div>
          <JsonTree name="checks" value={health.data.checks} />
        </div>
      )}
    </Page>
  );
}
