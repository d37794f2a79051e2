import { durationText } from '../../ui/time.tsx';
import type { Sample } from './health-feed.ts';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
/** The number of samples per row, and the number of rows. */
const EVERY = 5;
const ROWS = 12;

/** The data of the charts as a table: every ten seconds of the last two minutes. */
export function HealthTable({ samples }: { samples: readonly Sample[] }) {
  const rows = samples.filter((_, i) => (samples.length - 1 - i) % EVERY === 0).slice(-ROWS);
  return (
    <details className="more">
      <summary>Show as table</summary>
      <div className="table-frame" role="region" aria-label="Health samples" tabIndex={0}>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Executions per minute</th>
              <th scope="col">Failures per minute</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">Running</th>
              <th scope="col">Queued</th>
              <th scope="col">Event loop lag</th>
              <th scope="col">Memory</th>
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map((one) => (
              <tr key={one.timestamp}>
                <th scope="row">{clock.format(Date.parse(one.timestamp))}</th>
                <td>{one.executionsEnded}</td>
                <td>{one.executionsFailed}</td>
                <td>{one.durationP50 === null ? '–' : durationText(one.durationP50)}</td>
                <td>{one.durationP95 === null ? '–' : durationText(one.durationP95)}</td>
                <td>{one.activeExecutions}</td>
                <td>{one.queuedExecutions}</td>
                <td>{durationText(one.eventLoopLag)}</td>
                <td>{Math.round(one.memoryUsed / 1_048_576)} MB</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
