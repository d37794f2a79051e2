import { Link } from 'wouter';
import type { ModelUsageReport } from 'weft-client';
import { useUserEmails } from './user-emails.ts';
import { formatCost, countText } from '../../ui/amounts.ts';
import { formatDay } from '../../ui/time.tsx';
import type { Group } from './groups.ts';
import { t } from '../../i18n/index.ts';

type Usage = ModelUsageReport['groups'][number];

/** The groups and their sum. */
export function UsageTable({
  usage: { groups, totals, has_more: hasMore },
  group,
  label,
}: {
  usage: ModelUsageReport;
  group: Group;
  label: string;
}) {
  const emails = useUserEmails(group === 'user');
  if (totals.calls === 0) return <p className="soft">{t('No calls in this range.')}</p>;
  return (
    <>
      <div className="table-frame" role="region" aria-label={t('Model usage')} tabIndex={0}>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{label}</th>
              <th scope="col">{t('Calls')}</th>
              <th scope="col">{t('Input tokens')}</th>
              <th scope="col">{t('Output tokens')}</th>
              <th scope="col">{t('Cost')}</th>
            </tr>
          </thead>
          <tbody>
            {groups.map((row) => (
              <tr key={`${row.day} ${row.workflow_id} ${row.user_id} ${row.model}`}>
                <th scope="row">
                  <GroupName group={group} usage={row} emails={emails} />
                </th>
                <Amounts sums={row} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('Total')}</th>
              <Amounts sums={totals} />
            </tr>
          </tfoot>
        </table>
      </div>
      {hasMore && <p className="faint">{t('Only the first groups are shown. The total includes all.')}</p>}
      {totals.unpriced_calls > 0 && (
        <p className="faint">
          {t('Calls of models without a price, not included in the cost: {{calls}}', {
            calls: countText(totals.unpriced_calls),
          })}
        </p>
      )}
    </>
  );
}

function Amounts({ sums }: { sums: ModelUsageReport['totals'] }) {
  return (
    <>
      <td>{countText(sums.calls)}</td>
      <td>{countText(sums.input_tokens)}</td>
      <td>{countText(sums.output_tokens)}</td>
      <td>{sums.unpriced_calls === sums.calls ? '–' : formatCost(sums.cost)}</td>
    </>
  );
}

function GroupName({
  group,
  usage,
  emails,
}: {
  group: Group;
  usage: Usage;
  emails: ReadonlyMap<string, string>;
}) {
  if (group === 'user') return emails.get(usage.user_id ?? '') ?? usage.user_id;
  if (group === 'day') return usage.day === null ? null : formatDay(usage.day);
  if (group === 'model') return usage.model;
  return usage.workflow_name === null ? (
    <code>{usage.workflow_id}</code>
  ) : (
    <Link href={`/workflows/${usage.workflow_id}`}>{usage.workflow_name}</Link>
  );
}
