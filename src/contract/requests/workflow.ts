import { Type } from 'typebox';
import { DisplayName, OptionalName } from '../display-name.ts';
import { workflowStatuses } from '../definition.ts';
import { pagingFields } from '../paging.ts';

/*
 * What a caller may send about workflows. All are closed: an unknown field is a fault. The insides of `config` belong
 * to the node types, which check them themselves.
 */

const Text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) });

export const NodeEntrySchema = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200, description: 'Unique in the definition.' }),
    type: Type.String({ minLength: 1, maxLength: 200, description: 'The id of a node of the catalogue.' }),
    position: Type.Optional(
      Type.Object(
        { x: Type.Number(), y: Type.Number() },
        { title: 'PositionInput', description: 'On the canvas.', additionalProperties: false },
      ),
    ),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'As its node type has it.' }),
    ),
    name: Type.Optional(OptionalName(200)),
    disabled: Type.Optional(Type.Boolean({ description: 'What arrives goes straight through.' })),
    notes: Type.Optional(Text(10_000)),
    version: Type.Optional(
      Type.String({
        pattern: '^\\d+\\.\\d+\\.\\d+$',
        description: 'Of its node type; the newest when it is left out.',
      }),
    ),
  },
  { title: 'NodeEntryInput', description: 'One placed step of a workflow.', additionalProperties: false },
);

export const ConnectionSchema = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: 200 }),
    to: Type.String({ minLength: 1, maxLength: 200 }),
    sourcePort: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    targetPort: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  {
    title: 'ConnectionInput',
    description: 'From an output port to an input port; a port that is left out is the first one.',
    additionalProperties: false,
  },
);

/** The number of nodes and connections is checked by hand, so that the limit can be named. */
export const DefinitionSchema = Type.Object(
  {
    nodes: Type.Optional(Type.Array(NodeEntrySchema)),
    connections: Type.Optional(Type.Array(ConnectionSchema)),
    annotations: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 1_000, description: 'Text on the canvas.' }),
    ),
  },
  {
    title: 'DefinitionInput',
    description: 'The graph: nodes joined by connections.',
    additionalProperties: false,
  },
);

/** Durations such as `30s` or `14d`; what they mean together is checked by the service. */
export const SettingsSchema = Type.Object(
  {
    timeout: Type.Optional(
      Type.Union([Type.String({ maxLength: 30 }), Type.Null()], {
        description: 'How long an execution may take, from its creation: a duration such as `30s`.',
      }),
    ),
    max_concurrency: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
        description: 'Executions that run at once; more are queued.',
      }),
    ),
    on_failure_workflow: Type.Optional(
      Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
        description:
          "The id of the workflow that is started with the error when an execution fails; it is one's own.",
      }),
    ),
    retention: Type.Optional(
      Type.Union([Type.String({ maxLength: 30 }), Type.Null()], {
        description: 'How long ended executions stay: a duration such as `14d`.',
      }),
    ),
  },
  {
    title: 'WorkflowSettingsInput',
    description: 'What holds for all executions of a workflow; null is the default of the instance.',
    additionalProperties: false,
  },
);

const StatusSchema = Type.Enum([...workflowStatuses]);
const TagsSchema = Type.Array(DisplayName(50), {
  maxItems: 50,
  uniqueItems: true,
});

const writable = {
  name: DisplayName(200),
  description: Type.Optional(Text(10_000)),
  definition: Type.Optional(DefinitionSchema),
  status: Type.Optional(StatusSchema),
  settings: Type.Optional(SettingsSchema),
  tags: Type.Optional(TagsSchema),
};

/** A workflow as files and templates hold it. */
export const WorkflowBodySchema = Type.Object(writable, { additionalProperties: false });

const dryRun = Type.Optional(
  Type.Boolean({
    description:
      '`true` checks the request and answers as if it had been carried out, or with the error; nothing is stored.',
  }),
);

export const CreateWorkflowSchema = Type.Object(
  { ...writable, dry_run: dryRun },
  { title: 'CreateWorkflowInput', additionalProperties: false },
);

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
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'When given, it must be the current one; a stale one is a `CONFLICT`.',
      }),
    ),
    publish: Type.Optional(
      Type.Boolean({
        description: '`false` saves a definition of an active workflow as a version that is not live yet.',
      }),
    ),
    dry_run: dryRun,
  },
  { title: 'UpdateWorkflowInput', additionalProperties: false },
);

export const WorkflowQuerySchema = Type.Object(
  {
    ...pagingFields,
    status: Type.Optional(StatusSchema),
    search: Type.Optional(Text(200, 'Stands in the name or the description, in any case.')),
    tag: Type.Optional(Text(50, 'Only those that have this tag.')),
  },
  { additionalProperties: false },
);
