import { Type } from 'typebox';
import type { Static } from 'typebox';
import { closed, inputPath } from '../schema.ts';

const MAX_PAGES = 1_000;
export const DEFAULT_PAGES = 100;

export const paginationSchema = closed(
  {
    next: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'What comes after a page, from {{ value.status }}, {{ value.headers }} and {{ value.body }}: a URL, an object of query parameters, or null behind the last one. Default: the next of the Link header.',
      }),
    ),
    items: Type.Optional(
      inputPath({ description: 'Where the list is in the body. Default: the body is it.' }),
    ),
    maxPages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGES, description: `Default: ${DEFAULT_PAGES}.` }),
    ),
  },
  { description: 'Fetches page after page in one attempt; the body is the list of all their items.' },
);
export type Pagination = Static<typeof paginationSchema>;
