import { useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { useStore } from '../../data/store.ts';
import { connection } from '../../data/live/connection.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatDuration, timeText } from '../../ui/time.tsx';
import { HealthCharts } from './health-charts.tsx';
import { HealthChecks } from './health-checks.tsx';
import { HealthTable } from './health-table.tsx';
import { healthSamples } from './health-feed.ts';
import { RangePicker } from '../history/range-picker.tsx';
import { RunHistory } from '../history/run-history.tsx';
import { readRange } from '../history/statistics.ts';
import { useUrlState } from '../../data/url-state.ts';
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
  const url = useUrlState();
  const range = readRange(url.get('range'));
  const latest = samples.at(-1);
  const since = samples[0]?.timestamp;
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
              {latest === undefined ? <Skeleton width="4rem" /> : formatDuration(latest.uptime)}
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
        <section className="stack" aria-labelledby="live">
          <div className="section-head">
            <h2 className="section-head__title" id="live">
              {t('This process')}
            </h2>
            <p className="section-head__text">
              {since === undefined
                ? t('Waiting for the first sample')
                : t('Live, since {{time}}', { time: timeText(Date.parse(since)) })}
            </p>
          </div>
          <HealthCharts samples={samples} />
          <HealthTable samples={samples} />
        </section>
        <section className="stack" aria-labelledby="history">
          <div className="section-head">
            <h2 className="section-head__title" id="history">
              {t('Your executions')}
            </h2>
            <RangePicker value={range} onChange={(next) => url.set({ range: next })} />
          </div>
          <RunHistory workflowId={null} range={range} />
        </section>
        {health.data !== undefined && <HealthChecks checks={health.data.checks} />}
      </div>
    </Page>
  );
}
