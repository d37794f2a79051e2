import { Type } from 'typebox';
import { Count, OneOf, Text, nullable, defineResource } from './resource.ts';

const Dollars = (description: string) => Type.Number({ minimum: 0, description });

const amounts = {
  calls: Count(),
  unpriced_calls: Count('Calls of models without a price, which `cost` does not include.'),
  input_tokens: Count('Includes cached tokens.'),
  cached_input_tokens: Count(),
  output_tokens: Count('Includes reasoning tokens.'),
  reasoning_tokens: Count(),
  cost: Dollars('US dollars.'),
};

export const ModelUsageSumResource = defineResource(
  'ModelUsageSum',
  'Completed calls of language models.',
  amounts,
);

export const ModelUsageResource = defineResource(
  'ModelUsageReport',
  'Completed calls of language models over a range of days. Each counts once, on the day (UTC) on which its node run recorded it.',
  {
    from: Text('The first day.'),
    to: Text('The last day.'),
    groups: Type.Array(
      defineResource('ModelUsageGroup', 'The calls of a group.', {
        day: nullable(Text('A day in UTC: `2026-01-31`. Null, as all fields by which is not grouped.')),
        workflow_id: nullable(Text()),
        workflow_name: nullable(Text('Null also if the workflow is deleted or belongs to another user.')),
        user_id: nullable(Text('The owner of the workflow.')),
        model: nullable(Text('`provider/model`')),
        ...amounts,
      }),
      { description: 'The newest day first, then by cost. Groups without calls are not among them.' },
    ),
    has_more: Type.Boolean({ description: 'Whether there are more groups than `limit`.' }),
    totals: ModelUsageSumResource,
  },
);

export const ModelPricesResource = defineResource('ModelPrices', 'The prices of language models.', {
  prices: Type.Array(
    defineResource('ModelPrice', 'US dollars for a million tokens.', {
      model: Text('`provider/model`, which may end with `*`. The longest one that matches applies.'),
      input: Dollars('The price of input.'),
      cached_input: nullable(Dollars('The price of cached input; null: as input.')),
      output: Dollars('The price of output.'),
      source: OneOf(
        ['stored', 'setting'],
        '`stored`: an administrator stored it. `setting`: from `WEFT_MODEL_PRICES`.',
      ),
    }),
    { description: 'By model.' },
  ),
});
