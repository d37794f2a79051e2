import { Type } from 'typebox';
import { decisionStatuses } from '../decisions/decisions.ts';
import { settledStatuses } from '../execution.ts';
import { ChoiceResource } from './decision.ts';
import { NodeErrorResource } from './execution.ts';
import { AnyJson, Count, OneOf, Text, Time, nullable, defineResource } from './resource.ts';

/** The events of the stream of an execution. */

const node = {
  node_id: Text(),
  path: Text('Identifies the node run: `agent[0]/model`.'),
  timestamp: Time(),
};
const type = <T extends string>(name: T) => Type.Literal(name);

export const TextEventResource = defineResource(
  'TextEvent',
  'A piece of the text that a language model writes, to be added to those of the same path.',
  {
    type: type('text'),
    ...node,
    text: Text(),
  },
);
export const ReasoningEventResource = defineResource(
  'ReasoningEvent',
  'A piece of the reasoning that a language model writes, to be added to those of the same path.',
  { type: type('reasoning'), ...node, text: Text() },
);
export const ToolArgumentsEventResource = defineResource(
  'ToolArgumentsEvent',
  'A piece of the arguments of a tool call while the model writes them. `tool_start` has them as a whole.',
  {
    type: type('tool_arguments'),
    ...node,
    call_id: Text(),
    tool: Text(),
    text: Text('A piece of JSON, to be added to those of the same path and call.'),
  },
);
export const ResetEventResource = defineResource(
  'ResetEvent',
  'A text of this node run begins anew: what was received of it is not part of the result.',
  {
    type: type('reset'),
    ...node,
    of: OneOf(['text', 'reasoning', 'tool_arguments'], 'The type of the events that have the text.'),
    call_id: nullable(Text('The tool call; null for texts and reasoning.')),
  },
);
export const UsageEventResource = defineResource('UsageEvent', 'A call of a language model ended.', {
  type: type('usage'),
  ...node,
  model: Text(),
  finish_reason: Text(),
  usage: defineResource('ModelUsage', 'Tokens of the call.', {
    input_tokens: Count(),
    cached_input_tokens: Count('Part of the input.'),
    output_tokens: Count(),
    reasoning_tokens: Count('Part of the output.'),
  }),
  cost: nullable(Type.Number({ description: 'US dollars; null if the model has no price.' })),
});
export const ToolStartEventResource = defineResource('ToolStartEvent', 'A language model calls a tool.', {
  type: type('tool_start'),
  ...node,
  call_id: Text(),
  tool: Text(),
  arguments: AnyJson(),
});
export const ToolEndEventResource = defineResource('ToolEndEvent', 'The call of a tool has a result.', {
  type: type('tool_end'),
  ...node,
  call_id: Text(),
  tool: Text(),
  result: AnyJson(),
  is_error: Type.Boolean({ description: 'The call failed, was refused, or its arguments did not fit.' }),
});
export const ApprovalEventResource = defineResource('ApprovalEvent', 'The execution asks people.', {
  type: type('approval'),
  ...node,
  decision_id: Text('For `POST /decisions/{id}/respond`.'),
  title: Text(),
  message: nullable(Text()),
  choices: Type.Array(ChoiceResource),
  status: OneOf(decisionStatuses, 'When the event is sent.'),
  choice: nullable(Text('The choice that was made.')),
  deadline: nullable(Time()),
});
export const DoneEventResource = defineResource('DoneEvent', 'The execution ended. The last event.', {
  type: type('done'),
  timestamp: Time(),
  status: OneOf(settledStatuses),
  output: AnyJson(),
  error: nullable(NodeErrorResource),
});

export const StreamEventResource = Type.Union(
  [
    TextEventResource,
    ReasoningEventResource,
    ToolArgumentsEventResource,
    ResetEventResource,
    UsageEventResource,
    ToolStartEventResource,
    ToolEndEventResource,
    ApprovalEventResource,
    DoneEventResource,
  ],
  { title: 'StreamEvent', description: 'An event of the stream of an execution.' },
);
