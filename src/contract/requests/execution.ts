import { Type, type Static } from 'typebox';
import { executionStatuses, logLevels } from '../execution.ts';
import { pagingFields } from '../paging.ts';

/** `wait`: a duration up to 60s. `until`: a node id. `pins`: outputs by node id, given instead of running the node. */
export const ExecuteSchema = Type.Object(
  {
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What the trigger delivers.' }),
    ),
    wait: Type.Optional(
      Type.String({
        maxLength: 30,
        description: 'How long to wait for its end: a duration of at most `60s`.',
      }),
    ),
    until: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A node id: only what leads to this node runs, and the node.',
      }),
    ),
    pins: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Outputs by node id, given instead of running the node.',
      }),
    ),
  },
  { title: 'ExecuteWorkflowInput', additionalProperties: false },
);

/** `from`: `failed`, `start` or a node id. `version`: of the workflow's definition. */
export const RetrySchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: '`failed` (the default), `start` or a node id.',
      }),
    ),
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'What arrives at the node that it starts from.',
      }),
    ),
    version: Type.Optional(
      Type.Enum(['original', 'current'], {
        description: "Of the workflow's definition; default `original`.",
      }),
    ),
  },
  { title: 'RetryExecutionInput', additionalProperties: false },
);

/** `from` inclusive and `to` exclusive: ISO 8601, on the time of creation. */
export const ExecutionQuerySchema = Type.Object(
  {
    ...pagingFields,
    status: Type.Optional(Type.Enum([...executionStatuses])),
    from: Type.Optional(
      Type.String({ maxLength: 40, description: 'Created at or after this ISO 8601 time.' }),
    ),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Created before this ISO 8601 time.' })),
    workflow_id: Type.Optional(Type.String({ maxLength: 200, description: 'Only those of this workflow.' })),
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
