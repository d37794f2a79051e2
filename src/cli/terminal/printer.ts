import type { Terminal } from './terminal.ts';
import { cut, toOneLine, toPlainText, measureWidth } from './text.ts';

export type Column<Row> = {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** May be truncated on a narrow terminal; other columns never are. */
  readonly isLoose?: boolean;
  readonly isRight?: boolean;
  readonly paint?: (row: Row) => Paint | null;
};

const paints = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;
export type Paint = keyof typeof paints;

/** Columns between two table columns, and the minimum width of a truncated one. */
const COLUMN_GAP = 2;
const MIN_COLUMN_WIDTH = 6;

export type Printer = ReturnType<typeof createPrinter>;

/** The output of a command: one JSON document (or one per line for a stream), or text for people. */
export function createPrinter(terminal: Terminal, isJson: boolean) {
  function paint(text: string, name: Paint | null): string {
    return name === null || !terminal.hasColor || text === ''
      ? text
      : `\u001B[${paints[name]}m${text}\u001B[0m`;
  }

  function line(text = ''): void {
    terminal.out(`${text}\n`);
  }

  function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
    const cells = rows.map((row) => columns.map((column) => toOneLine(column.of(row))));
    const widths = columns.map((column, i) =>
      Math.max(measureWidth(column.title), ...cells.map((row) => measureWidth(row[i]!))),
    );
    if (terminal.columns !== null) fit(widths, columns, terminal.columns);
    const formatLine = (texts: readonly string[], getStatusPaint: (i: number) => Paint | null): string =>
      texts
        .map((text, i) => {
          const shown = cut(text, widths[i]!);
          const space = ' '.repeat(Math.max(0, widths[i]! - measureWidth(shown)));
          const painted = paint(shown, getStatusPaint(i));
          if (columns[i]!.isRight === true) return space + painted;
          return i === texts.length - 1 ? painted : painted + space;
        })
        .join(' '.repeat(COLUMN_GAP))
        .trimEnd();
    line(
      formatLine(
        columns.map((column) => column.title),
        () => 'bold',
      ),
    );
    cells.forEach((row, r) => line(formatLine(row, (i) => columns[i]!.paint?.(rows[r]!) ?? null)));
  }

  return {
    isJson,
    line,
    paint,
    table,
    /** Prints one result as JSON, or with `human` for people. */
    show(value: unknown, human: () => void): void {
      if (isJson) line(JSON.stringify(value, null, 2));
      else human();
    },
    /** Prints one of several results, one after the other. */
    stream(value: unknown, human: () => void): void {
      if (isJson) line(JSON.stringify(value));
      else human();
    },
    /** Prints names and values, one per line. */
    record(pairs: readonly (readonly [name: string, value: string, paint?: Paint | null])[]): void {
      const width = Math.max(...pairs.map(([name]) => name.length));
      for (const [name, value, color = null] of pairs)
        line(`${paint(name.padEnd(width), 'dim')}  ${paint(toPlainText(value), color)}`);
    },
    /** Prints a remark on stderr; not with --json. */
    note(text: string): void {
      if (!isJson) terminal.err(`${text}\n`);
    },
  };
}

/** Narrows the widest loose columns until the table fits, or all are at their minimum. */
function fit(widths: number[], columns: readonly Column<never>[], maxWidth: number): void {
  const loose = widths.map((_width, i) => i).filter((i) => columns[i]!.isLoose === true);
  let over = widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * (widths.length - 1) - maxWidth;
  while (over > 0) {
    const widest = loose.reduce<number | null>(
      (best, i) => (best === null || widths[i]! > widths[best]! ? i : best),
      null,
    );
    if (widest === null || widths[widest]! <= MIN_COLUMN_WIDTH) return;
    widths[widest]!--;
    over--;
  }
}

/** Returns the color of a status, for executions, node runs and workflows. */
export function getStatusPaint(status: string): Paint | null {
  switch (status) {
    case 'completed':
    case 'active':
    case 'ok':
      return 'green';
    case 'failed':
    case 'error':
      return 'red';
    case 'running':
    case 'queued':
      return 'cyan';
    case 'waiting':
    case 'warning':
    case 'degraded':
      return 'yellow';
    default:
      return 'dim';
  }
}
