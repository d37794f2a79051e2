import { Type } from 'typebox';

export const MAX_PAGE_SIZE = 100;
/** Larger than any list, and small enough that offsets are exact integers. */
const MAX_PAGE = 1_000_000_000;

/** The two query parameters of every list, spread into the schema of the list's input. */
export const pagingFields = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      default: 1,
      description: 'Page number, starting at 1. Default: 1.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: 10,
      description: 'Items per page. Default: 10.',
    }),
  ),
};

export const PageQuery = Type.Object(pagingFields, { additionalProperties: false });

export type Page = { page: number; limit: number; offset: number };
export type Pagination = { page: number; limit: number; total: number; total_pages: number };

/** The requested page, with the defaults of every list: page 1, limit 10. */
export function toPage(query: { page?: number; limit?: number }): Page {
  const page = query.page ?? 1;
  const limit = query.limit ?? 10;
  return { page, limit, offset: (page - 1) * limit };
}

export function toPagination(page: Page, total: number): Pagination {
  return { page: page.page, limit: page.limit, total, total_pages: Math.ceil(total / page.limit) };
}
