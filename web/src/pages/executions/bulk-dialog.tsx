import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ExecutionSummary } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { queryClient } from '../../data/query-client.ts';
import { forEachLimited } from '../../lib/for-each-limited.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { canApply, countByWorkflow, type BulkAction, type BulkResult } from './bulk-run.ts';
import { t, tPlural } from '../../i18n/index.ts';

const TEXTS_BY_ACTION = {
  retry: {
    title: t('Retry executions'),
    submit: (n: number) => tPlural(n, 'Retry {{count}} execution', 'Retry {{count}} executions'),
    preview: (n: number) =>
      tPlural(n, '{{count}} execution will be retried:', '{{count}} executions will be retried:'),
    leftOut: (n: number) =>
      tPlural(
        n,
        '{{count}} selected execution is left out because it did not fail.',
        '{{count}} selected executions are left out because they did not fail.',
      ),
    failed: (n: number) =>
      tPlural(n, '{{count}} execution could not be retried.', '{{count}} executions could not be retried.'),
  },
  stop: {
    title: t('Stop executions'),
    submit: (n: number) => tPlural(n, 'Stop {{count}} execution', 'Stop {{count}} executions'),
    preview: (n: number) =>
      tPlural(n, '{{count}} execution will be stopped:', '{{count}} executions will be stopped:'),
    leftOut: (n: number) =>
      tPlural(
        n,
        '{{count}} selected execution is left out because it has already ended.',
        '{{count}} selected executions are left out because they have already ended.',
      ),
    failed: (n: number) =>
      tPlural(n, '{{count}} execution could not be stopped.', '{{count}} executions could not be stopped.'),
  },
} as const;

/** Shows what will happen, does it for one execution after the other, and shows each result. */
export function BulkDialog({
  action,
  selected,
  getName,
  onClose,
}: {
  action: BulkAction;
  selected: readonly ExecutionSummary[];
  getName: (workflowId: string) => string;
  onClose: (hasRun: boolean) => void;
}) {
  // The list changes while the dialog is open, but the dialog acts on what it has shown.
  const [items] = useState(() => selected.filter((one) => canApply(action, one)));
  const [leftOut] = useState(selected.length - items.length);
  const [from, setFrom] = useState('failed');
  const [version, setVersion] = useState<'original' | 'current'>('original');
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [phase, setPhase] = useState<'preview' | 'running' | 'done'>('preview');
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const texts = TEXTS_BY_ACTION[action];
  const failures = results.filter(({ isOk }) => !isOk).length;

  async function apply(execution: ExecutionSummary): Promise<BulkResult> {
    try {
      if (action === 'stop') await client.executions.stop(execution.id);
      else {
        const started = await client.executions.retry(execution.id, { from, version });
        return { execution, isOk: true, text: t('retried'), startedId: started.id };
      }
      return { execution, isOk: true, text: t('stopped') };
    } catch (error) {
      return { execution, isOk: false, text: toErrorText(error) };
    }
  }

  async function run(): Promise<void> {
    setPhase('running');
    await forEachLimited(items, leaving.current.signal, async (execution) => {
      const result = await apply(execution);
      setResults((before) => [...before, result]);
    });
    setPhase('done');
    for (const queryKey of [['executions'], ['execution-page']])
      void queryClient.invalidateQueries({ queryKey, refetchType: 'active' });
  }

  return (
    <Dialog
      isOpen
      size="wide"
      title={texts.title}
      isSticky={phase === 'running'}
      onClose={() => onClose(phase === 'done')}
      onSubmit={phase === 'preview' ? () => void run() : undefined}
      foot={
        <>
          <span className="grow" />
          {phase === 'preview' && (
            <>
              <Button onClick={() => onClose(false)}>{t('Cancel')}</Button>
              <Button type="submit" variant={action === 'stop' ? 'danger-solid' : 'primary'}>
                {texts.submit(items.length)}
              </Button>
            </>
          )}
          {phase === 'running' && (
            <Button onClick={() => leaving.current.abort()}>{t('Cancel the rest')}</Button>
          )}
          {phase === 'done' && (
            <Button variant="primary" onClick={() => onClose(true)}>
              {t('Close')}
            </Button>
          )}
        </>
      }
    >
      {phase === 'preview' ? (
        <div className="form">
          <div>
            <p>{texts.preview(items.length)}</p>
            <ul className="bulk__workflows">
              {countByWorkflow(items).map(([id, count]) => (
                <li key={id}>
                  <span className="truncate grow">{getName(id)}</span>
                  <span className="faint numbers">{count}</span>
                </li>
              ))}
            </ul>
            {leftOut > 0 && <p className="faint">{texts.leftOut(leftOut)}</p>}
          </div>
          {action === 'retry' && (
            <>
              <SelectField
                label={t('From')}
                hint={
                  from === 'failed'
                    ? t('Failed nodes and all nodes after them run again. Completed nodes keep their output.')
                    : t('All nodes run again, including those that send messages or change data elsewhere.')
                }
                value={from}
                onChange={({ target }) => setFrom(target.value)}
              >
                <option value="failed">{t('Failed nodes')}</option>
                <option value="start">{t('Start', { context: 'noun' })}</option>
              </SelectField>
              <SelectField
                label={t('Workflow version')}
                value={version}
                onChange={({ target }) => setVersion(target.value as typeof version)}
              >
                <option value="original">{t('Original version')}</option>
                <option value="current">{t('Latest version')}</option>
              </SelectField>
            </>
          )}
        </div>
      ) : (
        <div className="form">
          <div>
            <p role="status">
              {t('{{done}} of {{total}} done', { done: results.length, total: items.length })}
              {failures > 0 && `, ${t('{{number}} failed', { number: failures })}`}
            </p>
            <progress
              className="bulk__progress"
              aria-label={t('Progress')}
              max={items.length}
              value={results.length}
            />
          </div>
          {phase === 'done' && failures > 0 && <Alert tone="bad">{texts.failed(failures)}</Alert>}
          <ul className="bulk__results" aria-label={t('Results')}>
            {results.map(({ execution, isOk, text, startedId }) => (
              <li key={execution.id}>
                <Link href={`/executions/${execution.id}`} className="truncate">
                  {getName(execution.workflow_id)} <span className="id faint">{execution.id}</span>
                </Link>
                {startedId === undefined ? (
                  <span className={isOk ? 'faint' : 'bulk__error'}>{text}</span>
                ) : (
                  <Link href={`/executions/${startedId}`}>{text}</Link>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}
