import { Type } from 'typebox';

/** Requests about calls of language models and their prices. */

const closed = { additionalProperties: false };
/** Prices that one instance can store. */
const MAX_PRICES = 500;

export const usageGroupNames = ['day', 'workflow', 'user', 'model'] as const;
const group = `(${usageGroupNames.join('|')})`;

export const ModelUsageQuerySchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'The first day (UTC): ISO 8601. Default: 29 days before the last day.',
      }),
    ),
    to: Type.Optional(
      Type.String({ maxLength: 40, description: 'The last day (UTC): ISO 8601. Default: today.' }),
    ),
    group_by: Type.Optional(
      Type.String({
        pattern: `^${group}(,${group}){0,3}$`,
        maxLength: 40,
        'x-issue': 'must be a list of day, workflow, user and model, separated by commas, such as day,model',
        default: 'day',
        description: 'What the calls are summed by: day, workflow, user and model, separated by commas.',
      }),
    ),
    workflow_id: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only calls of this workflow, which may be deleted.' }),
    ),
    model: Type.Optional(
      Type.String({ maxLength: 300, description: 'Only calls of this model: `provider/model`.' }),
    ),
    user_id: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'The calls of the workflows of this user, or of all users with `all`. Administrators only. Default: your own.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 100,
        description: 'The maximum number of groups. Default: 100.',
      }),
    ),
  },
  closed,
);

const price = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });

export const ModelPricesSchema = Type.Object(
  {
    prices: Type.Array(
      Type.Object(
        {
          model: Type.String({
            pattern: '^[a-z_]+/.{1,200}$',
            'x-issue': 'must be provider/model, such as openai/gpt-5-mini, and may end with *',
            description: '`provider/model`, which may end with `*`. The longest one that matches applies.',
          }),
          input: price('US dollars for a million tokens of input.'),
          cached_input: Type.Optional(
            Type.Union(
              [price('US dollars for a million cached tokens. Default: the price of input.'), Type.Null()],
              {},
            ),
          ),
          output: price('US dollars for a million tokens of output.'),
        },
        { title: 'ModelPriceInput', ...closed },
      ),
      { maxItems: MAX_PRICES, description: 'All prices that are stored.' },
    ),
  },
  closed,
);
