import { formatDuration } from '../../ui/time.tsx';
import type { Sample } from './health-feed.ts';
import { locale, t } from '../../i18n/index.ts';

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
/** The number of samples per row, and the number of rows. */
const SAMPLES_PER_ROW = 5;
const ROWS = 12;

/** The data of the charts as a table: every ten seconds of the last two minutes. */
export function HealthTable({ samples }: { samples: readonly Sample[] }) {
  const rows = samples.filter((_, i) => (samples.length - 1 - i) % SAMPLES_PER_ROW === 0).slice(-ROWS);
  return (
    <details className="more">
      <summary>{t('Show as table')}</summary>
      <div className="table-frame" role="region" aria-label={t('Health samples')} tabIndex={0}>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{t('Time')}</th>
              <th scope="col">{t('Executions per minute')}</th>
              <th scope="col">{t('Failures per minute')}</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">{t('Running')}</th>
              <th scope="col">{t('Queued')}</th>
              <th scope="col">{t('Event loop lag')}</th>
              <th scope="col">{t('Memory')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map((one) => (
              <tr key={one.timestamp}>
                <th scope="row">{clock.format(Date.parse(one.timestamp))}</th>
                <td>{one.executionsEnded}</td>
                <td>{one.executionsFailed}</td>
                <td>{one.durationP50 === null ? '–' : formatDuration(one.durationP50)}</td>
                <td>{one.durationP95 === null ? '–' : formatDuration(one.durationP95)}</td>
                <td>{one.activeExecutions}</td>
                <td>{one.queuedExecutions}</td>
                <td>{formatDuration(one.eventLoopLag)}</td>
                <td>{Math.round(one.memoryUsed / 1_048_576)} MB</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
