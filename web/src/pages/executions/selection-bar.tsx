import { GitCompareArrows, RotateCcw, Square } from 'lucide-react';
import { useState } from 'react';
import type { ExecutionSummary } from 'weft-client';
import type { Selection } from '../../data/use-selection.ts';
import { createLazyComponent } from '../../ui/lazy-component.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Lazy } from '../../ui/lazy.tsx';
import { canApply, type BulkAction } from './bulk-run.ts';
import { t } from '../../i18n/index.ts';

const BulkDialog = createLazyComponent(async () => (await import('./bulk-dialog.tsx')).BulkDialog);

/** What can be done with the selected executions. */
export function SelectionBar({
  selection,
  getName,
}: {
  selection: Selection<ExecutionSummary>;
  getName: (workflowId: string) => string;
}) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const { items } = selection;
  const retryable = items.filter((one) => canApply('retry', one)).length;
  const stoppable = items.filter((one) => canApply('stop', one)).length;
  const pair = findPair(items);
  return (
    <>
      {items.length > 0 && (
        <div className="selection-bar" role="region" aria-label={t('Selection')}>
          <span role="status">{t('{{number}} selected', { number: items.length })}</span>
          <span className="grow" />
          <Button
            icon={<RotateCcw size={14} />}
            disabled={retryable === 0}
            title={retryable === 0 ? t('Failed and stopped executions can be retried') : undefined}
            onClick={() => setAction('retry')}
          >
            {retryable === 0 ? t('Retry…') : t('Retry {{number}}…', { number: retryable })}
          </Button>
          <Button
            icon={<Square size={13} />}
            disabled={stoppable === 0}
            title={stoppable === 0 ? t('Executions that have not ended can be stopped') : undefined}
            onClick={() => setAction('stop')}
          >
            {stoppable === 0 ? t('Stop…') : t('Stop {{number}}…', { number: stoppable })}
          </Button>
          {pair === null ? (
            <Button
              icon={<GitCompareArrows size={14} />}
              disabled
              title={t('Select two executions of the same workflow to compare them')}
            >
              {t('Compare')}
            </Button>
          ) : (
            <ButtonLink
              href={`/executions/${pair[0].id}/compare/${pair[1].id}`}
              icon={<GitCompareArrows size={14} />}
            >
              {t('Compare')}
            </ButtonLink>
          )}
          <Button variant="quiet" onClick={selection.clear}>
            {t('Clear selection')}
          </Button>
        </div>
      )}
      {action !== null && (
        <Lazy>
          <BulkDialog
            action={action}
            selected={items}
            getName={getName}
            onClose={(hasRun) => {
              setAction(null);
              if (hasRun) selection.clear();
            }}
          />
        </Lazy>
      )}
    </>
  );
}

/** The two selected executions of one workflow, the older one first; null for any other selection. */
function findPair(items: readonly ExecutionSummary[]): readonly [ExecutionSummary, ExecutionSummary] | null {
  const [first, second] = items;
  if (items.length !== 2 || first!.workflow_id !== second!.workflow_id) return null;
  // An execution that has not started yet is the newer one.
  const isInOrder = (first!.start_time ?? '~') <= (second!.start_time ?? '~');
  return isInOrder ? [first!, second!] : [second!, first!];
}
