import { Link } from 'wouter';
import type { NodeRun } from 'weft-client';
import { DataView } from '../../runs/data-view.tsx';
import { Alert } from '../../ui/alert.tsx';
import { isRecord } from '../model/field-path.ts';
import { RunFacts } from '../data/run-facts.tsx';
import { t } from '../../i18n/index.ts';

/** What a run of a model node returned, with its time, tokens and cost. */
export function TrialResult({
  title,
  run,
  empty,
  executionId,
}: {
  title: string;
  run: NodeRun | undefined;
  /** Why there is no run. */
  empty: string;
  executionId?: string;
}) {
  return (
    <section className="trial__result" aria-label={title}>
      <header className="trial__head">
        <h3 className="panel__subtitle">{title}</h3>
        {executionId !== undefined && <Link href={`/executions/${executionId}`}>{t('Open execution')}</Link>}
      </header>
      {run === undefined || run.start_time === null ? (
        <p className="faint">{empty}</p>
      ) : (
        <>
          <RunFacts run={run} />
          {run.error === null ? <Response run={run} /> : <Alert tone="bad">{run.error.message}</Alert>}
        </>
      )}
    </section>
  );
}

/** The text of a response is shown as text, the rest of the output below it. */
function Response({ run: { output } }: { run: NodeRun }) {
  const text = isRecord(output) ? output['text'] : undefined;
  return (
    <>
      {typeof text === 'string' && text !== '' && <p className="trial__text">{text}</p>}
      <DataView title={t('Output')} value={output} />
    </>
  );
}
