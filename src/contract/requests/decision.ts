import { Type } from 'typebox';
import { MAX_COMMENT_LENGTH } from '../decisions/decisions.ts';
import { pagingFields } from '../paging.ts';

const closed = { additionalProperties: false };

export const DecisionListQuerySchema = Type.Object(
  {
    ...pagingFields,
    view: Type.Optional(
      Type.Enum(['assigned', 'owned'], {
        description:
          '`assigned`: decisions that you were asked for. `owned`: those that your executions asked for. Default: assigned.',
      }),
    ),
    status: Type.Optional(
      Type.Enum(['open', 'closed'], {
        description: '`open`: waiting for responses. `closed`: decided, expired or cancelled. Default: both.',
      }),
    ),
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Text that the title contains.' }),
    ),
  },
  closed,
);

export const RespondToDecisionSchema = Type.Object(
  {
    choice: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The name of one of the choices of the decision.',
    }),
    comment: Type.Optional(
      Type.String({ maxLength: MAX_COMMENT_LENGTH, description: 'A text that is stored with the response.' }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The values of the fields of the decision, by name. A field that is missing here has its default; an empty string leaves it empty. Required fields are required for the first choice.',
      }),
    ),
  },
  closed,
);
