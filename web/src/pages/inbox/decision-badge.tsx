import type { Decision } from 'weft-client';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { t } from '../../i18n/index.ts';

const WORDS: Readonly<Record<Decision['status'], string>> = {
  open: t('Open', { context: 'adjective' }),
  decided: t('Decided'),
  expired: t('Expired'),
  cancelled: t('Cancelled'),
};
const TONE_BY_STATUS: Readonly<Record<Decision['status'], Tone>> = {
  open: 'warn',
  decided: 'good',
  expired: 'neutral',
  cancelled: 'plain',
};

/** The label of a choice. */
export function getChoiceLabel({ choices }: Pick<Decision, 'choices'>, choice: string | null): string {
  return choices.find(({ name }) => name === choice)?.label ?? choice ?? '';
}

/** The status of a decision; of a decided one, the choice that was made. */
export function DecisionBadge({ decision }: { decision: Decision }) {
  const { status, choice } = decision;
  return (
    <Badge tone={TONE_BY_STATUS[status]} hasDot>
      {status === 'decided' ? getChoiceLabel(decision, choice) : WORDS[status]}
    </Badge>
  );
}
