import { useMemo, useState } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { JsonTree } from '../ui/code/json-tree.tsx';
import { SegmentedControl } from '../ui/segmented-control.tsx';
import { Button } from '../ui/button.tsx';
import { inferColumns } from './infer-columns.ts';
import { ValueTable } from './value-table.tsx';
import { toSentenceCase, t } from '../i18n/index.ts';

type ViewMode = 'tree' | 'table' | 'raw';

/** Characters of JSON shown initially; a button shows more, so that a large value does not block the page. */
const PREVIEW_LENGTH = 20_000;

/** Shows a value as a tree, as JSON, and as a table if it is a list of objects. */
export function DataView({ title, value }: { title: string; value: unknown }) {
  const table = useMemo(() => inferColumns(value), [value]);
  const [selectedView, setSelectedView] = useState<ViewMode>('tree');
  const view = selectedView === 'table' && table === null ? 'tree' : selectedView;
  const looks: { value: ViewMode; label: string }[] = [
    { value: 'tree', label: t('Tree') },
    ...(table === null ? [] : [{ value: 'table' as const, label: t('Table') }]),
    { value: 'raw', label: 'JSON' },
  ];
  return (
    <section className="data" aria-label={title}>
      <header className="data__head">
        <h3 className="panel__subtitle">{title}</h3>
        <SegmentedControl
          label={t('View {{what}} as', { what: toSentenceCase(title) })}
          value={view}
          options={looks}
          onChange={setSelectedView}
        />
      </header>
      {view === 'tree' && <JsonTree value={value} name={toSentenceCase(title)} openLevels={2} />}
      {view === 'table' && table !== null && (
        <ValueTable label={t('{{title}} as a table', { title })} table={table} />
      )}
      {view === 'raw' && <RawJson title={title} value={value} />}
    </section>
  );
}

/** A value as JSON text. */
export function RawJson({ title, value }: { title: string; value: unknown }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'null', [value]);
  const [isWhole, setIsWhole] = useState(false);
  return (
    <div className="data__raw">
      <pre className="data__text" tabIndex={0} role="region" aria-label={t('{{title}} as JSON', { title })}>
        {isWhole ? text : text.slice(0, PREVIEW_LENGTH)}
      </pre>
      <div className="data__tools">
        <CopyButton text={text} label={t('Copy {{what}}', { what: toSentenceCase(title) })} />
        {!isWhole && text.length > PREVIEW_LENGTH && (
          <Button size="small" variant="quiet" onClick={() => setIsWhole(true)}>
            {t('Show all {{length}} characters', { length: text.length })}
          </Button>
        )}
      </div>
    </div>
  );
}
