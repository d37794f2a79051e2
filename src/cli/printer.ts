import type { Terminal } from './terminal.ts';
import { cut, oneLine, plain, widthOf } from './text.ts';

export type Column<Row> = {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** May be cut when the terminal is narrow; the others never are. */
  readonly isLoose?: boolean;
  readonly isRight?: boolean;
  readonly paint?: (row: Row) => Paint | null;
};

const paints = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;
export type Paint = keyof typeof paints;

/** Columns between columns, and the fewest that a loose one is cut to. */
const GAP = 2;
const LEAST = 6;

export type Printer = ReturnType<typeof createPrinter>;

/** What a command says: one JSON document (or one a line, for what goes on), or text for people. */
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
    const cells = rows.map((row) => columns.map((column) => oneLine(column.of(row))));
    const widths = columns.map((column, i) =>
      Math.max(widthOf(column.title), ...cells.map((row) => widthOf(row[i]!))),
    );
    if (terminal.columns !== null) fit(widths, columns, terminal.columns);
    const lineOf = (texts: readonly string[], paintOf: (i: number) => Paint | null): string =>
      texts
        .map((text, i) => {
          const shown = cut(text, widths[i]!);
          const space = ' '.repeat(Math.max(0, widths[i]! - widthOf(shown)));
          const painted = paint(shown, paintOf(i));
          if (columns[i]!.isRight === true) return space + painted;
          return i === texts.length - 1 ? painted : painted + space;
        })
        .join(' '.repeat(GAP))
        .trimEnd();
    line(
      lineOf(
        columns.map((column) => column.title),
        () => 'bold',
      ),
    );
    cells.forEach((row, r) => line(lineOf(row, (i) => columns[i]!.paint?.(rows[r]!) ?? null)));
  }

  return {
    isJson,
    line,
    paint,
    table,
    /** JSON of one thing; `human` says the same to people. */
    show(value: unknown, human: () => void): void {
      if (isJson) line(JSON.stringify(value, null, 2));
      else human();
    },
    /** The same for one thing of many that come one after the other. */
    stream(value: unknown, human: () => void): void {
      if (isJson) line(JSON.stringify(value));
      else human();
    },
    /** Names and values, one to a line. */
    record(pairs: readonly (readonly [name: string, value: string, paint?: Paint | null])[]): void {
      const width = Math.max(...pairs.map(([name]) => name.length));
      for (const [name, value, color = null] of pairs)
        line(`${paint(name.padEnd(width), 'dim')}  ${paint(plain(value), color)}`);
    },
    /** Beside what was asked for: on stderr, and not with --json. */
    note(text: string): void {
      if (!isJson) terminal.err(`${text}\n`);
    },
  };
}

/** Takes from the widest loose columns until the table fits, as far as that goes. */
function fit(widths: number[], columns: readonly Column<never>[], room: number): void {
  const loose = widths.map((_width, i) => i).filter((i) => columns[i]!.isLoose === true);
  let over = widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1) - room;
  while (over > 0) {
    const widest = loose.reduce<number | null>(
      (best, i) => (best === null || widths[i]! > widths[best]! ? i : best),
      null,
    );
    if (widest === null || widths[widest]! <= LEAST) return;
    widths[widest]!--;
    over--;
  }
}

/** The colour of a status, of executions, node runs and workflows alike. */
export function paintOf(status: string): Paint | null {
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
