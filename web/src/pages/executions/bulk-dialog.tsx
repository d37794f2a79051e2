import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ExecutionSummary } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { queryClient } from '../../data/query-client.ts';
import { forEachLimited } from '../../lib/for-each-limited.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { canApply, countByWorkflow, type BulkAction, type BulkResult } from './bulk-run.ts';

const WORDS = {
  retry: { title: 'Retry executions', verb: 'Retry', done: 'retried', leftOut: 'did not fail' },
  stop: { title: 'Stop executions', verb: 'Stop', done: 'stopped', leftOut: 'have already ended' },
} as const;

const countOf = (n: number): string => (n === 1 ? '1 execution' : `${n} executions`);

/** Shows what will happen, does it for one execution after the other, and shows each result. */
export function BulkDialog({
  action,
  selected,
  nameOf,
  onClose,
}: {
  action: BulkAction;
  selected: readonly ExecutionSummary[];
  nameOf: (workflowId: string) => string;
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
  const words = WORDS[action];
  const failures = results.filter(({ isOk }) => !isOk).length;

  async function apply(execution: ExecutionSummary): Promise<BulkResult> {
    try {
      if (action === 'stop') await client.executions.stop(execution.id);
      else {
        const started = await client.executions.retry(execution.id, { from, version });
        return { execution, isOk: true, text: 'retried', startedId: started.id };
      }
      return { execution, isOk: true, text: 'stopped' };
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
      title={words.title}
      isSticky={phase === 'running'}
      onClose={() => onClose(phase === 'done')}
      onSubmit={phase === 'preview' ? () => void run() : undefined}
      foot={
        <>
          <span className="grow" />
          {phase === 'preview' && (
            <>
              <Button onClick={() => onClose(false)}>Cancel</Button>
              <Button type="submit" look={action === 'stop' ? 'danger-solid' : 'primary'}>
                {words.verb} {countOf(items.length)}
              </Button>
            </>
          )}
          {phase === 'running' && <Button onClick={() => leaving.current.abort()}>Cancel the rest</Button>}
          {phase === 'done' && (
            <Button look="primary" onClick={() => onClose(true)}>
              Close
            </Button>
          )}
        </>
      }
    >
      {phase === 'preview' ? (
        <div className="form">
          <div>
            <p>
              {countOf(items.length)} of{' '}
              {countByWorkflow(items).length === 1 ? 'this workflow' : 'these workflows'} will be {words.done}
              :
            </p>
            <ul className="bulk__workflows">
              {countByWorkflow(items).map(([id, count]) => (
                <li key={id}>
                  <span className="truncate grow">{nameOf(id)}</span>
                  <span className="faint numbers">{count}</span>
                </li>
              ))}
            </ul>
            {leftOut > 0 && (
              <p className="faint">
                {leftOut} selected {leftOut === 1 ? 'execution is' : 'executions are'} left out because they{' '}
                {words.leftOut}.
              </p>
            )}
          </div>
          {action === 'retry' && (
            <>
              <SelectField
                label="From"
                hint={
                  from === 'failed'
                    ? 'Failed nodes and all nodes after them run again. Completed nodes keep their output.'
                    : 'All nodes run again, including those that send messages or change data elsewhere.'
                }
                value={from}
                onChange={({ target }) => setFrom(target.value)}
              >
                <option value="failed">Failed nodes</option>
                <option value="start">Start</option>
              </SelectField>
              <SelectField
                label="Workflow version"
                value={version}
                onChange={({ target }) => setVersion(target.value as typeof version)}
              >
                <option value="original">Original version</option>
                <option value="current">Latest version</option>
              </SelectField>
            </>
          )}
        </div>
      ) : (
        <div className="form">
          <div>
            <p role="status">
              {results.length} of {items.length} done
              {failures > 0 && `, ${failures} failed`}
            </p>
            <progress
              className="bulk__progress"
              aria-label="Progress"
              max={items.length}
              value={results.length}
            />
          </div>
          {phase === 'done' && failures > 0 && (
            <Alert tone="bad">
              {countOf(failures)} could not be {words.done}.
            </Alert>
          )}
          <ul className="bulk__results" aria-label="Results">
            {results.map(({ execution, isOk, text, startedId }) => (
              <li key={execution.id}>
                <Link href={`/executions/${execution.id}`} className="truncate">
                  {nameOf(execution.workflow_id)} <span className="id faint">{execution.id}</span>
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
