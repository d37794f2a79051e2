import type { RequestOptions } from '../../../sdk/src/index.ts';
import type { Column } from '../terminal/printer.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';

/** Options of every list. */
export type ListOptions = { readonly page?: string; readonly limit?: string; readonly all?: boolean };

type Pagination = { page: number; limit: number; total: number; total_pages: number };
type Page<N extends string, Row> = { [name in N]: Row[] } & { pagination: Pagination };

const DEFAULT_LIMIT = 20;
/** Page size with `--all`. */
const MAX_PAGE_SIZE = 100;

/**
 * Prints a page of a list, or with `--all` the whole list, as a table or as the response of the service.
 * `none` is printed for an empty list.
 */
export async function showList<N extends string, Row>(
  { printer, signal }: RunContext,
  options: ListOptions,
  name: N,
  fetchPage: (query: { page: number; limit: number }, options: RequestOptions) => Promise<Page<N, Row>>,
  columns: readonly Column<Row>[],
  none: string,
): Promise<void> {
  const { rows, pagination } = await fetchRows(options, name, (query) => fetchPage(query, { signal }));
  printer.show({ [name]: rows, pagination }, () => {
    if (rows.length === 0) printer.note(pagination.total === 0 ? none : 'There is nothing on this page.');
    else printer.table(columns, rows);
  });
  const left = pagination.total - (pagination.page - 1) * pagination.limit - rows.length;
  if (left > 0 && rows.length > 0)
    printer.note(`… and ${left} more of ${pagination.total}: --page ${pagination.page + 1}, or --all`);
}

async function fetchRows<N extends string, Row>(
  options: ListOptions,
  name: N,
  fetchPage: (query: { page: number; limit: number }) => Promise<Page<N, Row>>,
): Promise<{ rows: Row[]; pagination: Pagination }> {
  const page = readWholeNumber(options.page, '--page') ?? 1;
  const limit = readWholeNumber(options.limit, '--limit') ?? DEFAULT_LIMIT;
  if (options.all !== true) {
    const response = await fetchPage({ page, limit });
    return { rows: response[name], pagination: response.pagination };
  }
  const rows: Row[] = [];
  for (let next = 1; ; next++) {
    const { [name]: more, pagination } = await fetchPage({ page: next, limit: MAX_PAGE_SIZE });
    rows.push(...more);
    if (more.length > 0 && next < pagination.total_pages) continue;
    return { rows, pagination: { page: 1, limit: rows.length, total: rows.length, total_pages: 1 } };
  }
}

/** Parses the integer value of an option. */
export function readWholeNumber(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`${name} must be an integer, not ${JSON.stringify(text)}.`);
  return Number(text);
}
