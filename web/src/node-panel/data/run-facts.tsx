import type { NodeRun } from 'weft-client';
import { formatCost, countText } from '../../ui/amounts.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { isRecord } from '../model/field-path.ts';
import { t } from '../../i18n/index.ts';

/** Status, duration and attempts of a run of a node; of models also the tokens and the cost. */
export function RunFacts({ run }: { run: NodeRun }) {
  const { tokens, cost } = readUsage(run.output);
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
        <dd>{run.duration === null ? '–' : formatDuration(run.duration)}</dd>
      </div>
      <div>
        <dt>{t('Attempts')}</dt>
        <dd>{run.attempt}</dd>
      </div>
      {tokens !== null && (
        <div>
          <dt>{t('Tokens')}</dt>
          <dd>{tokens}</dd>
        </div>
      )}
      {cost !== null && (
        <div>
          <dt>{t('Cost')}</dt>
          <dd>{formatCost(cost)}</dd>
        </div>
      )}
    </dl>
  );
}

/** The usage in the output of a node that calls models. */
function readUsage(output: unknown): { tokens: string | null; cost: number | null } {
  const usage = isRecord(output) ? output['usage'] : null;
  if (!isRecord(output) || !isRecord(usage)) return { tokens: null, cost: null };
  const { input_tokens: input, output_tokens: written } = usage;
  const { cost } = output;
  const tokens =
    typeof input === 'number' && typeof written === 'number'
      ? `${countText(input)} → ${countText(written)}`
      : null;
  return { tokens, cost: tokens !== null && typeof cost === 'number' ? cost : null };
}
