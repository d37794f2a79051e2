import { Type } from 'typebox';
import { pagingFields } from '../paging.ts';

export const VectorCollectionListQuerySchema = Type.Object(
  {
    ...pagingFields,
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Text that the name contains.' }),
    ),
  },
  { additionalProperties: false },
);
