/**
 * A Markdown table with columns as wide as their widest cell, as the formatter expects. A `|` in a cell is
 * escaped.
 */
export function formatMarkdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = header.map((_, i) => Math.max(3, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, i) => (row[i] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...rest] = cells;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)];
}
