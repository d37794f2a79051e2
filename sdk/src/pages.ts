import type { Pagination } from './generated/types.ts';
import type { RequestOptions } from './request.ts';

export type PagingOptions = RequestOptions & {
  /** The maximum number of items. Default: all. */
  readonly maxItems?: number | undefined;
};

type Page<T> = { readonly items: readonly T[]; readonly pagination: Pagination };

/**
 * Yields all items of a list; each page is requested after the previous one has been consumed. A list may
 * change meanwhile: items that move to the next page are not yielded twice; a deletion may cause an item to
 * be skipped.
 */
export async function* pages<T>(
  query: { readonly page?: number | undefined; readonly limit?: number | undefined },
  options: PagingOptions | undefined,
  fetchPage: (page: number, limit: number) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  const limit = query.limit ?? 100;
  let left = options?.maxItems ?? Number.POSITIVE_INFINITY;
  let before = new Set<unknown>();
  for (let page = query.page ?? 1; left > 0; page++) {
    const { items, pagination } = await fetchPage(page, limit);
    const ids = new Set<unknown>();
    for (const item of items) {
      const { id } = item as { id?: unknown };
      if (id !== undefined) {
        ids.add(id);
        if (before.has(id)) continue;
      }
      yield item;
      if (--left <= 0) return;
    }
    if (items.length === 0 || page >= pagination.total_pages) return;
    before = ids;
  }
}
