import { Type, type Static } from 'typebox';
import { AnyJson, resource } from '../resources/resource.ts';

const MAX_TEMPLATE = 65_536;
const id = { minLength: 1, maxLength: 200 };

/** A template and the data it sees: that of an execution, what is given here, or both, what is given here first. */
export const EvaluateSchema = Type.Object(
  {
    template: Type.String({ maxLength: MAX_TEMPLATE, description: 'Such as `Dear {{ input.name }}`.' }),
    execution_id: Type.Optional(Type.String({ ...id, description: 'Whose data it sees.' })),
    node_id: Type.Optional(
      Type.String({ ...id, description: 'At which node of the execution; its newest run counts.' }),
    ),
    path: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: 'At which node run: `loop[17]/x`.' }),
    ),
    input: Type.Optional(Type.Unknown({ description: 'What arrives at the node.' })),
    trigger: Type.Optional(Type.Unknown({ description: 'What started the execution.' })),
    nodes: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Outputs by node id.' })),
    item: Type.Optional(Type.Unknown({ description: "The element in a loop's body." })),
    index: Type.Optional(Type.Integer({ minimum: 0, description: "Its position in a loop's body." })),
    value: Type.Optional(Type.Unknown({ description: 'The value in a transform.' })),
  },
  { title: 'EvaluateTemplateInput', additionalProperties: false },
);
export type Evaluate = Static<typeof EvaluateSchema>;

export const EvaluatedResource = resource('Evaluated', 'What a template gave.', {
  value: AnyJson('A template that is one placeholder gives the value with its type, every other one a text.'),
});
