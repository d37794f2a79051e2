import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { isRecord } from '../model/json-pointer.ts';
import { templateOf, type Steps } from '../model/insert-path.ts';
import { startPathDrag } from './path-drag.ts';

/** Rows shown at first, and added by each request for more. */
const ROWS_STEP = 50;

export type Table = { readonly columns: readonly string[]; readonly rows: readonly string[][] };

/** A list of objects whose cells can be inserted by click, Enter or drag. */
export function FieldTable({
  label,
  table: { columns, rows },
  steps,
  onInsert,
}: {
  label: string;
  table: Table;
  /** The path of the list. */
  steps: Steps;
  onInsert: (steps: Steps) => void;
}) {
  const [count, setCount] = useState(ROWS_STEP);
  return (
    <div className="data__scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="data__table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, count).map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => {
                const path = [...steps, index, columns[at]!];
                return (
                  <td key={columns[at]}>
                    <button
                      type="button"
                      className="data__cell"
                      title={`Insert ${templateOf(path)}`}
                      draggable
                      onClick={() => onInsert(path)}
                      onDragStart={(event) => startPathDrag(event, path)}
                    >
                      {cell === '' ? '–' : cell}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > count && (
        <Button size="small" look="quiet" onClick={() => setCount(count + ROWS_STEP * 4)}>
          Show more ({rows.length} rows)
        </Button>
      )}
    </div>
  );
}

/** The path of the list that a table shows: the value itself, or the only list in it. */
export function listSteps(value: unknown, steps: Steps): Steps {
  if (!isRecord(value)) return steps;
  const [key] = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return key === undefined ? steps : [...steps, key];
}
