import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import { useUrlState } from '../../data/url-state.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { t } from '../../i18n/index.ts';
import { GROUPS, type Group } from './groups.ts';
import { ModelPrices } from './model-prices.tsx';
import { UsageTable } from './usage-table.tsx';

const DAY_MS = 86_400_000;
const MAX_GROUPS = 500;
const DAYS = ['7', '30', '90'] as const;
const GROUP_LABELS: Readonly<Record<Group, string>> = {
  day: t('Day'),
  workflow: t('Workflow'),
  model: t('Model'),
  user: t('User'),
};
const RANGE_LABELS = { '7': t('7 days'), '30': t('30 days'), '90': t('90 days') };

/** The calls of language models, and their prices. */
export function ModelUsagePage() {
  const url = useUrlState();
  const isAdmin = useCurrentUser()?.role === 'admin';
  const days = DAYS.find((one) => one === url.get('days')) ?? '30';
  const groups = GROUPS.filter((one) => isAdmin || one !== 'user');
  const group = groups.find((one) => one === url.get('by')) ?? 'day';
  const isOfAll = isAdmin && url.get('users') === 'all';
  const query = {
    from: new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10),
    group_by: group,
    limit: MAX_GROUPS,
    ...(isOfAll ? { user_id: 'all' } : {}),
  };
  const usage = useQuery({
    queryKey: ['model-usage', query],
    queryFn: ({ signal }) => client.modelUsage.get(query, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('Model usage')} lead={t('Completed calls of language models, by day in UTC.')}>
      <div className="stack">
        <div className="toolbar">
          <SegmentedControl
            label={t('Range')}
            value={days}
            options={DAYS.map((value) => ({ value, label: RANGE_LABELS[value] }))}
            onChange={(value) => url.set({ days: value })}
          />
          <SegmentedControl
            label={t('Group by')}
            value={group}
            options={groups.map((value) => ({ value, label: GROUP_LABELS[value] }))}
            onChange={(value) => url.set({ by: value })}
          />
          {isAdmin && (
            <Checkbox
              label={t('All users')}
              checked={isOfAll}
              onChange={({ target }) => url.set({ users: target.checked ? 'all' : '' })}
            />
          )}
        </div>
        {usage.error !== null && <ErrorAlert error={usage.error} onRetry={() => void usage.refetch()} />}
        {usage.data === undefined ? (
          usage.error === null && <Skeleton />
        ) : (
          <UsageTable usage={usage.data} group={group} label={GROUP_LABELS[group]} />
        )}
        <ModelPrices isAdmin={isAdmin} />
      </div>
    </Page>
  );
}
