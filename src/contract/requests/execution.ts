import { Type, type Static } from 'typebox';
import { executionStatuses, logLevels, triggerTypes } from '../execution.ts';
import { pagingFields } from '../paging.ts';
import { PinPortsSchema } from './pin-ports.ts';
import { DefinitionSchema } from './workflow.ts';

const IterationSchema = Type.Object(
  {
    input: Type.Unknown({ description: 'The input of the first node of the body.' }),
    item: Type.Optional(Type.Unknown({ description: 'The value of `item` in templates. Default: none.' })),
    index: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The value of `index` in templates. Default: 0.' }),
    ),
  },
  { title: 'IterationInput', additionalProperties: false },
);

const TestDefinitionSchema = Type.Object(DefinitionSchema.properties, {
  title: 'TestDefinitionInput',
  description:
    'Runs instead of the newest version, as a test. It is not saved as a version of the workflow: the `workflow_version` of the execution is negative. Needs the scope `workflows:write`.',
  additionalProperties: false,
});

/**
 * `wait`: a duration up to 60s. `definition`: runs instead of the newest version, and is not saved.
 * `until`: a node id. `iterations`: one for each container around `until`, outermost first. `pins`: outputs
 * by node id, or by the path of a node run in a body, used instead of running the node. `pin_ports`: the
 * output ports of pins.
 */
export const ExecuteSchema = Type.Object(
  {
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The output of the trigger.' }),
    ),
    wait: Type.Optional(
      Type.String({
        maxLength: 30,
        description: 'How long to wait for the execution to end: a duration of at most `60s`.',
      }),
    ),
    until: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A node id: only this node and the nodes that lead to it run.',
      }),
    ),
    definition: Type.Optional(TestDefinitionSchema),
    iterations: Type.Optional(
      Type.Array(IterationSchema, {
        maxItems: 10,
        description:
          'With an `until` in a body: the values with which the body of each container around it runs, outermost first. Each body runs once, only up to the node. Default: the containers run as a whole.',
      }),
    ),
    pins: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Outputs by node id, used instead of running the node. In a body, a node id stands for all runs of the node, and a path such as `loop[7]/call` for one of them.',
      }),
    ),
    pin_ports: Type.Optional(
      Type.Record(Type.String(), PinPortsSchema(), {
        description:
          'The output ports of pins, by node id. With several, the pin is an object by port. Default: the first port of the node.',
      }),
    ),
  },
  { title: 'ExecuteWorkflowInput', additionalProperties: false },
);

/**
 * `from`: `failed`, `start`, a node id, or the path of a node run or of a run of a body. `version`: the
 * version of the workflow's definition.
 */
export const RetrySchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          '`failed` (the default), `start`, a node id, the path of a node run in a body, such as `loop[7]/call`, or of a run of the body, such as `loop[7]`.',
      }),
    ),
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The input of the node at which the retry starts.',
      }),
    ),
    version: Type.Optional(
      Type.Enum(['original', 'current'], {
        description: "The version of the workflow's definition. Default: `original`.",
      }),
    ),
  },
  { title: 'RetryExecutionInput', additionalProperties: false },
);

/** `from` is inclusive and `to` exclusive: ISO 8601, compared with the time of creation. */
export const ExecutionQuerySchema = Type.Object(
  {
    ...pagingFields,
    status: Type.Optional(Type.Enum([...executionStatuses])),
    from: Type.Optional(
      Type.String({ maxLength: 40, description: 'Created at or after this ISO 8601 time.' }),
    ),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Created before this ISO 8601 time.' })),
    workflow_id: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only executions of this workflow.' }),
    ),
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'The beginning of an execution id; or words that all occur in the error message, or all in the values: the input, and the outputs of nodes. Case does not matter. `q`, `node_id` and `trigger` search the newest 10,000 executions that match the other parameters: see `searched_from`.',
      }),
    ),
    node_id: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only executions that failed at this node.' }),
    ),
    trigger: Type.Optional(
      Type.Enum([...triggerTypes], { description: 'Only executions started by this type of trigger.' }),
    ),
  },
  { additionalProperties: false },
);
export type ExecutionQuery = Static<typeof ExecutionQuerySchema>;

export const LogQuerySchema = Type.Object(
  {
    ...pagingFields,
    level: Type.Optional(Type.Enum([...logLevels], { description: 'Only lines of this level.' })),
    node_id: Type.Optional(Type.String({ maxLength: 200, description: 'Only lines of this node.' })),
  },
  { additionalProperties: false },
);
