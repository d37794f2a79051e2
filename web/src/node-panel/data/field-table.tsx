import { ValueTable, type ValueTableContent } from '../../runs/value-table.tsx';
import { isRecord } from '../model/field-path.ts';
import { toTemplate, type PathSegments } from '../model/insert-path.ts';
import { startPathDrag } from './path-drag.ts';
import { t } from '../../i18n/index.ts';

/** A list of objects whose cells can be inserted by click, Enter or drag. */
export function FieldTable({
  label,
  table,
  segments,
  onInsert,
}: {
  label: string;
  table: ValueTableContent;
  /** The path of the list. */
  segments: PathSegments;
  onInsert: (segments: PathSegments) => void;
}) {
  return (
    <ValueTable
      label={label}
      table={table}
      renderCell={(text, row, column) => {
        const path = [...segments, row, column];
        return (
          <button
            type="button"
            className="data__cell"
            title={t('Insert {{path}}', { path: toTemplate(path) })}
            draggable
            onClick={() => onInsert(path)}
            onDragStart={(event) => startPathDrag(event, path)}
          >
            {text === '' ? '–' : text}
          </button>
        );
      }}
    />
  );
}

/** The path of the list that a table shows: the value itself, or the only list in it. */
export function getListPath(value: unknown, segments: PathSegments): PathSegments {
  if (!isRecord(value)) return segments;
  const [key] = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return key === undefined ? segments : [...segments, key];
}
