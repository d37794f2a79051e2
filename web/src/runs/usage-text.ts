import type { ExecutionDetail } from 'weft-client';
import { formatCost, countText } from '../ui/amounts.ts';
import { t } from '../i18n/index.ts';

/** The tokens and the cost of all calls of models of an execution. */
export function formatTokens(usage: NonNullable<ExecutionDetail['usage']>): string {
  const tokens = countText(usage.input_tokens + usage.output_tokens);
  return usage.unpriced_calls === usage.calls
    ? t('{{tokens}} tokens', { tokens })
    : t('{{tokens}} tokens, {{cost}}', { tokens, cost: formatCost(usage.cost) });
}
