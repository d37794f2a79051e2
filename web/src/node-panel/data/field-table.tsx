import { ValueTable, type ValueTableContent } from '../../runs/value-table.tsx';
import { isRecord } from '../model/json-pointer.ts';
import { toTemplate, type Steps } from '../model/insert-path.ts';
import { startPathDrag } from './path-drag.ts';
import { t } from '../../i18n/index.ts';

/** A list of objects whose cells can be inserted by click, Enter or drag. */
export function FieldTable({
  label,
  table,
  steps,
  onInsert,
}: {
  label: string;
  table: ValueTableContent;
  /** The path of the list. */
  steps: Steps;
  onInsert: (steps: Steps) => void;
}) {
  return (
    <ValueTable
      label={label}
      table={table}
      renderCell={(text, row, column) => {
        const path = [...steps, row, column];
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
export function listSteps(value: unknown, steps: Steps): Steps {
  if (!isRecord(value)) return steps;
  const [key] = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return key === undefined ? steps : [...steps, key];
}
