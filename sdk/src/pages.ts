import type { Pagination } from './generated/types.ts';
import type { RequestOptions } from './request.ts';

export type PagingOptions = RequestOptions & {
  /** Ends after so many items; all, unless given. */
  readonly maxItems?: number | undefined;
};

type Page<T> = { readonly items: readonly T[]; readonly pagination: Pagination };

/**
 * All items of a list, a page at a time: the next page is asked for when the last one has been taken. A list changes while it is
 * read: what is added at its front moves items to the next page, and those are not given twice; what is deleted may hide one.
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
