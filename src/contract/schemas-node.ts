import { Type } from 'typebox';
import { nodeCategories } from './node-type.ts';

/** Characters of one piece of user code. */
export const MAX_SOURCE = 256 * 1024;

/** `search` looks in name and description; `version` gives the types of exactly this version. */
export const NodeQuerySchema = Type.Object(
  {
    category: Type.Optional(Type.Enum([...nodeCategories])),
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Stands in the name or the description, in any case.' }),
    ),
    version: Type.Optional(
      Type.String({ maxLength: 50, description: 'Exactly this version; without it the newest of each.' }),
    ),
  },
  { additionalProperties: false },
);
