import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { useStore } from '../../data/store.ts';
import { formatCost, countText } from '../../ui/amounts.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import type { Autosave } from '../state/autosave.ts';
import { t } from '../../i18n/index.ts';

const COST_FIELD = 'settings.max_cost_per_day';
const TOKENS_FIELD = 'settings.max_tokens_per_day';

/** The daily budget of a workflow for calls of language models, with what was used today. */
export function BudgetDialog({ saver, onClose }: { saver: Autosave; onClose: () => void }) {
  const { id, settings } = useStore(saver.workflow);
  const [cost, setCost] = useState(String(settings.max_cost_per_day ?? ''));
  const [tokens, setTokens] = useState(String(settings.max_tokens_per_day ?? ''));
  const today = new Date().toISOString().slice(0, 10);
  const used = useQuery({
    queryKey: ['model-usage', 'today', id, today],
    queryFn: async ({ signal }) =>
      (await client.modelUsage.get({ from: today, to: today, workflow_id: id }, { signal })).totals,
  });
  const save = useMutationWithToast(
    () =>
      saver.update({
        settings: {
          ...saver.workflow.get().settings,
          max_cost_per_day: cost.trim() === '' ? null : Number(cost),
          max_tokens_per_day: tokens.trim() === '' ? null : Number(tokens),
        },
      }),
    {
      changes: [],
      onDone: () => {
        toast({ tone: 'good', title: t('Budget saved') });
        onClose();
      },
    },
  );
  const problem = toFormError(save.error, [COST_FIELD, TOKENS_FIELD]);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Daily budget')}
      description={t(
        'No call of a language model begins once the calls of a day (UTC) have reached a limit. The node then fails, and an agent continues through its port “limit”.',
      )}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <div className="stack">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <TextField
          label={t('US dollars a day')}
          hint={t('Models without a price are then not called. Empty: no limit.')}
          type="number"
          min={0}
          step="any"
          value={cost}
          autoFocus
          error={toFieldError(save.error, COST_FIELD)}
          onChange={({ target }) => {
            save.reset();
            setCost(target.value);
          }}
        />
        <TextField
          label={t('Tokens a day')}
          hint={t('Input and output. Empty: no limit.')}
          type="number"
          min={1}
          step={1}
          value={tokens}
          error={toFieldError(save.error, TOKENS_FIELD)}
          onChange={({ target }) => {
            save.reset();
            setTokens(target.value);
          }}
        />
        {used.data !== undefined && (
          <p className="soft numbers">
            {t('Used today: {{tokens}} tokens, {{cost}}', {
              tokens: countText(used.data.input_tokens + used.data.output_tokens),
              cost: formatCost(used.data.cost),
            })}
          </p>
        )}
      </div>
    </Dialog>
  );
}
