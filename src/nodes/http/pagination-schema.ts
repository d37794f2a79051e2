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
          'A template for the next page, using {{ value.status }}, {{ value.headers }} and {{ value.body }}. It returns a URL, an object of query parameters, or null after the last page. Default: the next link of the Link header.',
      }),
    ),
    items: Type.Optional(
      inputPath({ description: 'The path of the list in the body. Default: the whole body.' }),
    ),
    maxPages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGES, description: `Default: ${DEFAULT_PAGES}.` }),
    ),
  },
  { description: 'Fetches all pages in one attempt. The resulting body is the list of all their items.' },
);
export type Pagination = Static<typeof paginationSchema>;
