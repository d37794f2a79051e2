import { useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { useStore } from '../../data/store.ts';
import { connection } from '../../data/connection.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { durationText } from '../../ui/time.tsx';
import { HealthCharts } from './health-charts.tsx';
import { HealthChecks } from './health-checks.tsx';
import { HealthTable } from './health-table.tsx';
import { healthSamples } from './health-feed.ts';
import { t } from '../../i18n/index.ts';

export function SystemPage() {
  const samples = useStore(healthSamples);
  const link = useStore(connection);
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => client.health.get({ signal }),
    // A public endpoint: it does not count against the plan.
    refetchInterval: 10_000,
  });
  const latest = samples.at(-1);
  const status = link === 'lost' ? 'unreachable' : (latest?.status ?? health.data?.status);
  return (
    <Page title={t('System')} lead={t('Current health of the server process that serves this page.')}>
      <div className="stack">
        {health.error !== null && link !== 'lost' && (
          <ErrorAlert error={health.error} onRetry={() => void health.refetch()} />
        )}
        <dl className="vitals">
          <div className="vital">
            <dt>{t('Status')}</dt>
            <dd>{status === undefined ? <Skeleton width="3rem" /> : <StatusBadge status={status} />}</dd>
          </div>
          <div className="vital">
            <dt>{t('Uptime')}</dt>
            <dd className="numbers">
              {latest === undefined ? <Skeleton width="4rem" /> : durationText(latest.uptime)}
            </dd>
          </div>
          <div className="vital">
            <dt>{t('Version')}</dt>
            <dd>{health.data?.version ?? <Skeleton width="3rem" />}</dd>
          </div>
          <div className="vital">
            <dt>{t('Running')}</dt>
            <dd className="numbers">{latest?.activeExecutions ?? <Skeleton width="2rem" />}</dd>
          </div>
          <div className="vital">
            <dt>{t('Queued')}</dt>
            <dd className="numbers">{latest?.queuedExecutions ?? <Skeleton width="2rem" />}</dd>
          </div>
        </dl>
        <HealthCharts samples={samples} />
        <HealthTable samples={samples} />
        {health.data !== undefined && <HealthChecks checks={health.data.checks} />}
      </div>
    </Page>
  );
}
