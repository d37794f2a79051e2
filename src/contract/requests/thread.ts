import { Type } from 'typebox';
import { pagingFields } from '../paging.ts';

export const ThreadListQuerySchema = Type.Object(
  {
    ...pagingFields,
    workflow_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only threads of this workflow.' }),
    ),
    namespace: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only threads of this namespace.' }),
    ),
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Text that the key contains.' }),
    ),
  },
  { additionalProperties: false },
);
