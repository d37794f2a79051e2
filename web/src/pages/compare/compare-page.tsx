import { ChevronRight } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ExecutionDetail, NodeRun } from 'weft-client';
import { FieldChanges } from '../../canvas/components/field-changes.tsx';
import { createCatalog, type Catalog } from '../../canvas/model/catalog.ts';
import { compareDocs, isEmptyDiff } from '../../canvas/model/diff.ts';
import { toDoc, type Definition, type Doc } from '../../canvas/model/document.ts';
import { getTitleById } from '../../canvas/model/title.ts';
import type { FieldChange } from '../../canvas/model/value-changes.ts';
import { ChangeList } from '../../canvas/page/change-list.tsx';
import { loadNodeTypes } from '../../canvas/page/node-types.ts';
import { client } from '../../data/client.ts';
import { formatTriggerType, formatVersion } from '../../data/words.ts';
import { loadFirstAndLastRuns, type NodeRuns } from '../../runs/node-runs.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { countText } from '../../ui/amounts.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatDuration, Time } from '../../ui/time.tsx';
import { listChangedParts, listChanges, compareRuns, isDifferent, type ComparedRun } from './compare-runs.ts';
import { MAX_COMPARED_RUNS, useComparedRuns } from './use-compared-runs.ts';
import { toSentenceCase, t } from '../../i18n/index.ts';

/** Rows shown initially, and added at a time. */
const MAX_ROWS = 200;

type Side = { readonly execution: ExecutionDetail; readonly doc: Doc; readonly runs: NodeRuns };
type Loaded = { name: string; before: Side; after: Side; catalog: Catalog };

const PART_LABELS = { input: t('Input'), output: t('Output'), error: t('Error') } as const;

async function load(id: string, signal: AbortSignal): Promise<Side> {
  const execution = await client.executions.get(id, { signal });
  const { workflow_id: workflowId, workflow_version: version } = execution;
  const [{ definition }, runs] = await Promise.all([
    client.workflows.versions.get(workflowId, version, { signal }),
    loadFirstAndLastRuns(execution, signal),
  ]);
  return { execution, doc: toDoc(definition as Definition), runs };
}

/** Two executions of a workflow side by side: what differs in their version, input and node runs. */
export function ComparePage({ beforeId, afterId }: { beforeId: string; afterId: string }) {
  const loaded = useQuery({
    queryKey: ['compare', beforeId, afterId],
    queryFn: async ({ signal }): Promise<Loaded> => {
      const [before, after, types] = await Promise.all([
        load(beforeId, signal),
        load(afterId, signal),
        loadNodeTypes(),
      ]);
      const workflow = await client.workflows.get(after.execution.workflow_id, { signal });
      return { name: workflow.name, before, after, catalog: createCatalog(types) };
    },
  });
  return (
    <Page title={t('Compare executions')} {...(loaded.data !== undefined && { lead: loaded.data.name })}>
      {loaded.error !== null ? (
        <ErrorAlert error={loaded.error} onRetry={() => void loaded.refetch()} />
      ) : loaded.data === undefined ? (
        <Skeleton />
      ) : (
        <Comparison loaded={loaded.data} />
      )}
    </Page>
  );
}

function Comparison({ loaded: { before, after, catalog } }: { loaded: Loaded }) {
  const definition = useMemo(() => compareDocs(before.doc, after.doc), [before, after]);
  const input = useMemo(() => listChanges(before.execution.input, after.execution.input), [before, after]);
  return (
    <div className="stack">
      <div className="compare__heads">
        <Head title={t('Before', { context: 'comparison' })} side={before} />
        <Head title={t('After', { context: 'comparison' })} side={after} />
      </div>
      {!isEmptyDiff(definition) && (
        <Part title={t('Changes to the workflow')}>
          <div className="compare__input">
            <ChangeList diff={definition} before={before.doc} after={after.doc} catalog={catalog} />
          </div>
        </Part>
      )}
      <Part title={t('Input')}>
        {input.length === 0 ? (
          <p className="faint">{t('The input is the same.')}</p>
        ) : (
          <div className="compare__input">
            <FieldChanges changes={input} />
          </div>
        )}
      </Part>
      <Runs before={before} after={after} catalog={catalog} />
    </div>
  );
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <header className="section-head">
        <h2 className="section-head__title">{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

function Head({ title, side: { execution } }: { title: string; side: Side }) {
  const { id, status, workflow_version: version, trigger, start_time: start, duration, error } = execution;
  return (
    <section className="compare__head" aria-label={title}>
      <div className="row">
        <Link href={`/executions/${id}`} className="compare__title">
          {title}
        </Link>
        <StatusBadge status={status} />
        {duration !== null && <span className="faint numbers">{formatDuration(duration)}</span>}
      </div>
      <p className="faint">
        {formatVersion(version)} · {formatTriggerType(trigger.type)} · <Time at={start} />
      </p>
      {error !== null && <p className="compare__error">{error.message}</p>}
    </section>
  );
}

type ShownRows = 'different' | 'all';

function Runs({ before, after, catalog }: { before: Side; after: Side; catalog: Catalog }) {
  const loaded = useComparedRuns(before, after);
  const runs = useMemo(() => compareRuns(loaded.before, loaded.after), [loaded.before, loaded.after]);
  const different = useMemo(() => runs.filter(isDifferent), [runs]);
  const [filter, setFilter] = useState<ShownRows>('different');
  const [most, setMost] = useState(MAX_ROWS);
  const rows = filter === 'all' ? runs : different;
  const titleOf = (nodeId: string): string =>
    getTitleById((after.doc.nodes.has(nodeId) ? after : before).doc.nodes, nodeId, catalog);
  return (
    <Part
      title={t('Nodes')}
      aside={
        <SegmentedControl
          label={t('Show nodes')}
          value={filter}
          options={[
            {
              value: 'different',
              label: t('Different ({{number}})', { number: different.length }),
            },
            { value: 'all', label: t('All ({{number}})', { number: runs.length }) },
          ]}
          onChange={setFilter}
        />
      }
    >
      {rows.length === 0 ? (
        <p className="faint">
          {loaded.compared < loaded.total
            ? t('All compared nodes had the same input and output.')
            : t('All nodes had the same input and output.')}
        </p>
      ) : (
        <>
          <div className="compare__row compare__columns" aria-hidden="true">
            <span />
            <span className="compare__name">{t('Node')}</span>
            <span>{t('Before', { context: 'comparison' })}</span>
            <span>{t('After', { context: 'comparison' })}</span>
          </div>
          <ul className="compare__rows">
            {rows.slice(0, most).map((run) => (
              <Row key={run.path} run={run} title={titleOf(run.nodeId)} />
            ))}
          </ul>
        </>
      )}
      {rows.length > most && (
        <Button size="small" onClick={() => setMost(most + MAX_ROWS)}>
          {t('Show {{number}} more', { number: Math.min(MAX_ROWS, rows.length - most) })}
        </Button>
      )}
      {loaded.compared < loaded.total && (
        <div className="row">
          <p className="faint numbers" role="status">
            {t('{{compared}} of {{total}} node runs are compared.', {
              compared: countText(loaded.compared),
              total: countText(loaded.total),
            })}
            {loaded.isTooLarge && ` ${t('The others are not compared: their data is too large.')}`}
          </p>
          {loaded.canLoadMore && (
            <Button size="small" isBusy={loaded.isLoading} onClick={loaded.loadMore}>
              {loaded.total > 2 * MAX_COMPARED_RUNS ? t('Compare more') : t('Compare all')}
            </Button>
          )}
        </div>
      )}
      {loaded.error !== null && <ErrorAlert error={loaded.error} onRetry={loaded.loadMore} />}
    </Part>
  );
}

function Row({ run, title }: { run: ComparedRun; title: string }) {
  const parts = listChangedParts(run);
  const [isOpen, setIsOpen] = useState(false);
  const line = (
    <>
      <span className="compare__name">
        <span className="truncate">{title}</span>
        {run.path !== run.nodeId && <code className="faint truncate">{run.path}</code>}
      </span>
      <State label={t('before:')} run={run.before} />
      <State label={t('after:')} run={run.after} />
      <span className="compare__what">{describe(run)}</span>
    </>
  );
  if (parts.length === 0)
    return (
      <li>
        <div className="compare__row">
          <span />
          {line}
        </div>
      </li>
    );
  return (
    <li>
      <button
        type="button"
        className="compare__row"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <ChevronRight size={13} aria-hidden="true" className="compare__chevron" />
        {line}
      </button>
      {isOpen && parts.map((part) => <Changes key={part} title={PART_LABELS[part]} changes={run[part]} />)}
    </li>
  );
}

function State({ label, run }: { label: string; run: NodeRun | undefined }) {
  return (
    <span className="compare__state">
      <span className="visually-hidden">{label} </span>
      {run === undefined ? (
        <span className="faint">{t('did not run')}</span>
      ) : (
        <StatusBadge status={run.status} />
      )}
      {typeof run?.duration === 'number' && (
        <span className="faint numbers">{formatDuration(run.duration)}</span>
      )}
    </span>
  );
}

function Changes({ title, changes: found }: { title: string; changes: readonly FieldChange[] }) {
  return (
    <section className="compare__changes" aria-label={title}>
      <h3 className="panel__subtitle">{title}</h3>
      <FieldChanges changes={found} />
    </section>
  );
}

/** What differs, in words. */
function describe(run: ComparedRun): string {
  if (run.before === undefined) return t('Ran only after');
  if (run.after === undefined) return t('Ran only before');
  const parts = listChangedParts(run).map((part) => toSentenceCase(PART_LABELS[part]));
  if (parts.length === 0) return run.before.status === run.after.status ? t('Same') : t('Status differs');
  return t('Different: {{parts}}', { parts: parts.join(', ') });
}
