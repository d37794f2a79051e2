import type { NodeRun } from 'weft-client';
import { StatusBadge } from '../../ui/badge.tsx';
import { durationText } from '../../ui/time.tsx';
import { t } from '../../i18n/index.ts';

/** Status, duration and attempts of a run of a node. */
export function RunFacts({ run }: { run: NodeRun }) {
  return (
    <dl className="facts">
      <div>
        <dt>{t('Status')}</dt>
        <dd>
          <StatusBadge status={run.status} />
        </dd>
      </div>
      <div>
        <dt>{t('Duration')}</dt>
        <dd>{run.duration === null ? '–' : durationText(run.duration)}</dd>
      </div>
      <div>
        <dt>{t('Attempts')}</dt>
        <dd>{run.attempt}</dd>
      </div>
    </dl>
  );
}
