import { Type, type Static } from 'typebox';
import { executionStatuses, logLevels } from './execution.ts';
import { pagingFields } from './paging.ts';

const JsonObjectSchema = Type.Record(Type.String(), Type.Unknown());

/** `wait`: a duration up to 60s. `until`: a node id. `pins`: outputs by node id, given instead of running the node. */
export const ExecuteSchema = Type.Object(
  {
    input: Type.Optional(JsonObjectSchema),
    wait: Type.Optional(Type.String({ maxLength: 30 })),
    until: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    pins: Type.Optional(JsonObjectSchema),
  },
  { additionalProperties: false },
);

/** `from`: `failed`, `start` or a node id. `version`: of the workflow's definition. */
export const RetrySchema = Type.Object(
  {
    from: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    input: Type.Optional(JsonObjectSchema),
    version: Type.Optional(Type.Enum(['original', 'current'])),
  },
  { additionalProperties: false },
);

/** `from` inclusive and `to` exclusive: ISO 8601, on the time of creation. */
const historyFields = {
  ...pagingFields,
  status: Type.Optional(Type.Enum([...executionStatuses])),
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(Type.String({ maxLength: 40 })),
};

/** The history of one workflow. */
export const HistoryQuerySchema = Type.Object(historyFields, { additionalProperties: false });

export const ExecutionQuerySchema = Type.Object(
  { ...historyFields, workflow_id: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
);
export type ExecutionQuery = Static<typeof ExecutionQuerySchema>;

export const LogQuerySchema = Type.Object(
  {
    ...pagingFields,
    level: Type.Optional(Type.Enum([...logLevels])),
    node_id: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);
