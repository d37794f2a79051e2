import { queryOptions, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { ExecutionSummary } from 'weft-client';
import { client } from '../../data/client.ts';
import { queryClient } from '../../data/query-client.ts';
import { Time } from '../../ui/time.tsx';
import { formatStatus } from '../../data/words.ts';
import { t } from '../../i18n/index.ts';

/** The number of newest executions that are searched, and of requests offered. */
const SEARCH_COUNT = 50;
const REQUEST_COUNT = 5;

/** The newest executions of a workflow that a webhook request started, newest first. */
const recentRequests = (workflowId: string) =>
  queryOptions({
    queryKey: ['executions', 'requests', workflowId],
    queryFn: ({ signal }) => findRequests(workflowId, signal),
  });

/** Reads the last request anew; null when the workflow has received none. */
export async function findLastRequest(workflowId: string): Promise<{ id: string; input: string } | null> {
  const [last] = await queryClient.fetchQuery({ ...recentRequests(workflowId), staleTime: 0 });
  return last === undefined ? null : { id: last.id, input: await loadInput(last.id) };
}

async function findRequests(workflowId: string, signal: AbortSignal): Promise<ExecutionSummary[]> {
  const { executions } = await client.executions.list(
    { workflow_id: workflowId, limit: SEARCH_COUNT },
    { signal },
  );
  return executions
    .filter(({ trigger, retry_of: original }) => trigger.type === 'webhook' && original === null)
    .slice(0, REQUEST_COUNT);
}

/** The input of an execution as formatted JSON. */
export async function loadInput(executionId: string): Promise<string> {
  const { input } = await client.executions.get(executionId);
  return JSON.stringify(input, null, 2);
}

/** Offers the last requests of the workflow, and an empty input. Empty without requests. */
export function RecentRequests({
  workflowId,
  value,
  onChange,
}: {
  workflowId: string;
  /** The execution whose request is used; null: none. */
  value: string | null;
  onChange: (executionId: string | null) => void;
}) {
  const group = useId();
  const { data } = useQuery(recentRequests(workflowId));
  if (data === undefined || data.length === 0) return null;
  return (
    <fieldset className="requests">
      <legend className="field__label">{t('Start from')}</legend>
      {data.map((request, index) => (
        <label key={request.id} className="requests__item">
          <input
            type="radio"
            name={group}
            checked={value === request.id}
            onChange={() => onChange(request.id)}
          />
          <span>{index === 0 ? t('Last request') : t('Request')}</span>
          <span className="faint">
            <Time at={request.start_time} />
            {request.trigger['test'] === true && ` · ${t('test')}`} · {formatStatus(request.status)}
          </span>
        </label>
      ))}
      <label className="requests__item">
        <input type="radio" name={group} checked={value === null} onChange={() => onChange(null)} />
        <span>{t('Empty object')}</span>
      </label>
    </fieldset>
  );
}
