import { Type, type Static } from 'typebox';
import { AnyJson, defineResource } from '../resources/resource.ts';

const MAX_TEMPLATE_LENGTH = 65_536;
const id = { minLength: 1, maxLength: 200 };

/**
 * A template and its data: from an execution, from the request, or from both; data in the request takes
 * precedence.
 */
export const EvaluateSchema = Type.Object(
  {
    template: Type.String({
      maxLength: MAX_TEMPLATE_LENGTH,
      description: 'Such as `Dear {{ input.name }}`.',
    }),
    execution_id: Type.Optional(
      Type.String({ ...id, description: 'The execution whose data the template uses.' }),
    ),
    node_id: Type.Optional(
      Type.String({
        ...id,
        description: 'The node of the execution at which it is evaluated; its newest run is used.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'The node run at which it is evaluated: `loop[17]/x`.',
      }),
    ),
    input: Type.Optional(Type.Unknown({ description: "The node's input." })),
    trigger: Type.Optional(Type.Unknown({ description: 'What started the execution.' })),
    nodes: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Outputs by node id.' })),
    item: Type.Optional(Type.Unknown({ description: "The element in a loop's body." })),
    index: Type.Optional(Type.Integer({ minimum: 0, description: "Its position in a loop's body." })),
    value: Type.Optional(Type.Unknown({ description: 'The value in a transform.' })),
  },
  { title: 'EvaluateTemplateInput', additionalProperties: false },
);
export type Evaluate = Static<typeof EvaluateSchema>;

export const EvaluatedResource = defineResource('Evaluated', 'The result of a template.', {
  value: AnyJson(
    'A template that is a single placeholder returns the value with its type; any other returns a string.',
  ),
});
