import { Link } from 'wouter';
import type { ExecutionStatistics } from 'weft-client';
import { formatDuration } from '../../ui/time.tsx';
import {
  countText,
  formatExecutionsLink,
  formatInterval,
  computeSuccessRate,
  formatSuccessRate,
  sumCounts,
} from './statistics.ts';
import { t } from '../../i18n/index.ts';

/** The values of the charts as a table, newest first, without intervals that have no executions. */
export function HistoryTable({
  statistics: { intervals, interval },
  workflowId,
}: {
  statistics: ExecutionStatistics;
  workflowId: string | null;
}) {
  const rows = intervals.filter((one) => sumCounts(one) > 0).toReversed();
  return (
    <details className="more">
      <summary>{t('Show as table')}</summary>
      <div className="table-frame" role="region" aria-label={t('Run history')} tabIndex={0}>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{interval === 'hour' ? t('Hour') : t('Day')}</th>
              <th scope="col">{t('Completed')}</th>
              <th scope="col">{t('Failed')}</th>
              <th scope="col">{t('Stopped')}</th>
              <th scope="col">{t('Success rate')}</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.start}>
                <th scope="row">
                  <Link href={formatExecutionsLink(workflowId, one.start, interval)}>
                    {formatInterval(one.start, interval)}
                  </Link>
                </th>
                <td>{countText(one.completed)}</td>
                <td>{countText(one.failed)}</td>
                <td>{countText(one.stopped)}</td>
                <td>{formatSuccessRate(computeSuccessRate(one))}</td>
                <td>{one.duration.p50 === null ? '–' : formatDuration(one.duration.p50)}</td>
                <td>{one.duration.p95 === null ? '–' : formatDuration(one.duration.p95)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
