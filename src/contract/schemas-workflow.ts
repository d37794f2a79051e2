import { Type } from 'typebox';
import { workflowStatuses } from './definition.ts';
import { pagingFields } from './paging.ts';

/*
 * What a caller may send about workflows. All are closed: an unknown field is a fault. The insides of `config` belong
 * to the node types, which check them themselves.
 */

const Text = (maxLength: number) => Type.String({ maxLength });

export const NodeEntrySchema = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200 }),
    type: Type.String({ minLength: 1, maxLength: 200 }),
    position: Type.Optional(
      Type.Object({ x: Type.Number(), y: Type.Number() }, { additionalProperties: false }),
    ),
    config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    name: Type.Optional(Text(200)),
    disabled: Type.Optional(Type.Boolean()),
    notes: Type.Optional(Text(10_000)),
    version: Type.Optional(Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' })),
  },
  { additionalProperties: false },
);

export const ConnectionSchema = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: 200 }),
    to: Type.String({ minLength: 1, maxLength: 200 }),
    sourcePort: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    targetPort: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
);

/** The number of nodes and connections is checked by hand, so that the limit can be named. */
export const DefinitionSchema = Type.Object(
  {
    nodes: Type.Optional(Type.Array(NodeEntrySchema)),
    connections: Type.Optional(Type.Array(ConnectionSchema)),
    annotations: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 1_000 })),
  },
  { additionalProperties: false },
);

/** Durations such as `30s` or `14d`; what they mean together is checked by the service. */
export const SettingsSchema = Type.Object(
  {
    timeout: Type.Optional(Type.Union([Type.String({ maxLength: 30 }), Type.Null()])),
    max_concurrency: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()])),
    on_failure_workflow: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
    retention: Type.Optional(Type.Union([Type.String({ maxLength: 30 }), Type.Null()])),
  },
  { additionalProperties: false },
);

const StatusSchema = Type.Enum([...workflowStatuses]);
const TagsSchema = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: 50,
  uniqueItems: true,
});

const writable = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.Optional(Text(10_000)),
  definition: Type.Optional(DefinitionSchema),
  status: Type.Optional(StatusSchema),
  settings: Type.Optional(SettingsSchema),
  tags: Type.Optional(TagsSchema),
};

export const CreateWorkflowSchema = Type.Object(writable, { additionalProperties: false });

/** What GET shows and nobody may set: taken in a PUT without a look, so that get, edit, put works. */
export const readOnlyWorkflowFields = [
  'id',
  'created_at',
  'updated_at',
  'node_count',
  'execution_count',
  'active_version',
  'triggers',
  'owner_id',
  'issues',
] as const;

export const UpdateWorkflowSchema = Type.Object(
  {
    ...writable,
    name: Type.Optional(writable.name),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    publish: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export const WorkflowQuerySchema = Type.Object(
  {
    ...pagingFields,
    status: Type.Optional(StatusSchema),
    search: Type.Optional(Text(200)),
    tag: Type.Optional(Text(50)),
  },
  { additionalProperties: false },
);
