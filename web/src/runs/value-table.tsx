import { useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { tPlural } from '../i18n/index.ts';

/** Rows shown initially; “more” adds four times as many, so that a long list does not block the page. */
const ROWS_STEP = 50;

export type ValueTableContent = { readonly columns: readonly string[]; readonly rows: readonly string[][] };

/** A list of objects as a table. `renderCell` defaults to the text. */
export function ValueTable({
  label,
  table: { columns, rows },
  renderCell = (text) => text,
}: {
  label: string;
  table: ValueTableContent;
  renderCell?: (text: string, row: number, column: string) => ReactNode;
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
              {columns.map((column, columnIndex) => (
                <td key={column}>{renderCell(row[columnIndex] ?? '', index, column)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > count && (
        <Button size="small" variant="quiet" onClick={() => setCount(count + ROWS_STEP * 4)}>
          {tPlural(rows.length, 'Show more ({{count}} row)', 'Show more ({{count}} rows)')}
        </Button>
      )}
    </div>
  );
}
