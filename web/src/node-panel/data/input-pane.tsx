import { ArrowDownToLine, Play } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { inferColumns } from '../../runs/infer-columns.ts';
import { RawJson } from '../../runs/data-view.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Time } from '../../ui/time.tsx';
import type { DisplayedRun } from '../../runs/displayed-run.ts';
import type { InputSource } from '../template-scope-for-node.ts';
import type { PathSegments } from '../model/insert-path.ts';
import type { TemplateScope } from '../model/template-scope.ts';
import { FieldTable, getListPath } from './field-table.tsx';
import { FieldTree } from './field-tree.tsx';
import type { TreeRoot } from './tree-rows.ts';
import { t, tElements } from '../../i18n/index.ts';

type View = 'tree' | 'table' | 'json';

/** The data that templates of the node can use, with every field ready to be inserted. */
export function InputPane({
  scope,
  source,
  run,
  getTitle,
  action,
  onInsert,
}: {
  scope: TemplateScope;
  source: InputSource | null;
  run: DisplayedRun | null;
  getTitle: (nodeId: string) => string;
  /** Runs the node. */
  action: ReactNode;
  onInsert: (segments: PathSegments) => void;
}) {
  const [selectedView, setSelectedView] = useState<View>('tree');
  const table = useMemo(() => inferColumns(scope.input), [scope.input]);
  const view = selectedView === 'table' && table === null ? 'tree' : selectedView;
  const roots = useMemo(() => createTreeRoots(scope, getTitle), [scope, getTitle]);
  if (roots.length === 0)
    return (
      <div className="panel__body">
        <EmptyState icon={<Play size={18} />} title={t('No data yet')} actions={action}>
          {t(
            'Run the workflow, or pin the output of an earlier node, to see the data that reaches this node.',
          )}
        </EmptyState>
      </div>
    );
  return (
    <div className="panel__body">
      <section className="data" aria-label={t('Input')}>
        <header className="data__head">
          <p className="data__source">
            <SourceText source={source} run={run} getTitle={getTitle} />
          </p>
          {scope.input !== undefined && (
            <SegmentedControl
              label={t('View input as')}
              value={view}
              options={[
                { value: 'tree', label: t('Tree') },
                ...(table === null ? [] : [{ value: 'table' as const, label: t('Table') }]),
                { value: 'json', label: 'JSON' },
              ]}
              onChange={setSelectedView}
            />
          )}
        </header>
        {view === 'tree' && <FieldTree label={t('Fields of the input')} roots={roots} onInsert={onInsert} />}
        {view === 'table' && table !== null && (
          <FieldTable
            label={t('Input as a table')}
            table={table}
            segments={getListPath(scope.input, ['input'])}
            onInsert={onInsert}
          />
        )}
        {view === 'json' && <RawJson title={t('Input')} value={scope.input} />}
        {view !== 'json' && (
          <p className="field__hint data__help">
            <ArrowDownToLine size={13} aria-hidden="true" />
            {t('Click a value to insert it into the last focused field, or drag it there.')}
          </p>
        )}
      </section>
    </div>
  );
}

function SourceText({
  source,
  run,
  getTitle,
}: {
  source: InputSource | null;
  run: DisplayedRun | null;
  getTitle: (nodeId: string) => string;
}) {
  if (source?.kind === 'example')
    return <>{t('Example output of {{node}}', { node: getTitle(source.nodeId) })}</>;
  if (source?.kind === 'pin') return <>{t('Pinned output of {{node}}', { node: getTitle(source.nodeId) })}</>;
  if (run === null) return <>{t('Pinned outputs and examples')}</>;
  const time = <Time at={run.execution.start_time} />;
  if (source === null) return <>{tElements('Data of earlier nodes, run {{time}}', { time })}</>;
  return source.kind === 'run' ? (
    <>{tElements('Received in the run {{time}}', { time })}</>
  ) : (
    <>{tElements('Output of {{node}}, run {{time}}', { node: getTitle(source.nodeId), time })}</>
  );
}

/** The available values: input, loop item, outputs of earlier nodes (nearest first), trigger. */
function createTreeRoots(scope: TemplateScope, getTitle: (nodeId: string) => string): TreeRoot[] {
  const roots: TreeRoot[] = [];
  const add = (label: string, segments: PathSegments, value: unknown, isOpen = false): void => {
    if (value !== undefined) roots.push({ label, segments, value, isOpen });
  };
  add(t('Input'), ['input'], scope.input, true);
  if (scope.loop !== null) {
    add(t('Item'), ['item'], scope.loop.item, scope.input === undefined);
    if (roots.length > 0) add(t('Index'), ['index'], scope.loop.index);
  }
  for (const [nodeId, output] of scope.nodes) add(getTitle(nodeId), ['nodes', nodeId], output);
  add(t('Trigger'), ['trigger'], scope.trigger);
  return roots;
}
