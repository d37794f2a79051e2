import { Type } from 'typebox';
import { DisplayName, OptionalName } from '../display-name.ts';
import { workflowSorts, workflowStatuses } from '../definition.ts';
import { pagingFields } from '../paging.ts';
import { PinPortsSchema } from './pin-ports.ts';

/*
 * Request bodies of workflows. All are closed: an unknown field is an error. The content of `config` is
 * validated by the node types.
 */

const Text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) });

export const NodeEntrySchema = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200, description: 'Unique in the definition.' }),
    type: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The id of a node type in the catalog.',
    }),
    position: Type.Optional(
      Type.Object(
        { x: Type.Number(), y: Type.Number() },
        { title: 'PositionInput', description: 'The position on the canvas.', additionalProperties: false },
      ),
    ),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The configuration, as its node type defines it.',
      }),
    ),
    name: Type.Optional(OptionalName(200)),
    disabled: Type.Optional(
      Type.Boolean({ description: 'Whether the node is disabled and passes its input through.' }),
    ),
    notes: Type.Optional(Text(10_000)),
    version: Type.Optional(
      Type.String({
        pattern: '^\\d+\\.\\d+\\.\\d+$',
        description: 'The version of its node type. Default: the newest.',
      }),
    ),
  },
  { title: 'NodeEntryInput', description: 'A node in a workflow.', additionalProperties: false },
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
    description: 'An edge from an output port to an input port; an omitted port is the first port.',
    additionalProperties: false,
  },
);

/** The number of nodes and connections is checked separately, so that the error can name the limit. */
export const DefinitionSchema = Type.Object(
  {
    nodes: Type.Optional(Type.Array(NodeEntrySchema)),
    connections: Type.Optional(Type.Array(ConnectionSchema)),
    annotations: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 1_000, description: 'Notes on the canvas.' }),
    ),
  },
  {
    title: 'DefinitionInput',
    description: 'The graph: nodes joined by connections.',
    additionalProperties: false,
  },
);

/** Durations such as `30s` or `14d`; the service validates their combination. */
export const SettingsSchema = Type.Object(
  {
    timeout: Type.Optional(
      Type.Union([Type.String({ maxLength: 30 }), Type.Null()], {
        description: 'How long an execution may take, from its creation: a duration such as `30s`.',
      }),
    ),
    max_concurrency: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
        description: 'The maximum number of executions that run at once; others are queued.',
      }),
    ),
    on_failure_workflow: Type.Optional(
      Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
        description:
          'The id of the workflow, of the same owner, that is started with the error when an execution fails.',
      }),
    ),
    retention: Type.Optional(
      Type.Union([Type.String({ maxLength: 30 }), Type.Null()], {
        description: 'How long ended executions are kept: a duration such as `14d`.',
      }),
    ),
    max_cost_per_day: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), Type.Null()], {
        description:
          'US dollars. No call of a model begins once the calls of a day (UTC) have cost this much. The models must have prices.',
      }),
    ),
    max_tokens_per_day: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }), Type.Null()], {
        description:
          'No call of a model begins once the calls of a day (UTC) have used this number of tokens, input and output.',
      }),
    ),
  },
  {
    title: 'WorkflowSettingsInput',
    description: 'Settings for all executions of a workflow; null is the default of the instance.',
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

/** A workflow in files and templates. */
export const WorkflowBodySchema = Type.Object(writable, { additionalProperties: false });

const dryRun = Type.Optional(
  Type.Boolean({
    description:
      '`true` validates the request and returns the response that it would get, or the error; nothing is stored.',
  }),
);

export const CreateWorkflowSchema = Type.Object(
  { ...writable, dry_run: dryRun },
  { title: 'CreateWorkflowInput', additionalProperties: false },
);

/**
 * Fields that GET returns and requests cannot set: accepted and ignored in a PUT, so that a GET response can
 * be sent back.
 */
export const readOnlyWorkflowFields = [
  'id',
  'created_at',
  'updated_at',
  'node_count',
  'execution_count',
  'active_version',
  'last_execution',
  'next_due_at',
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
        description: 'If given, it must be the current version; a stale version is a `CONFLICT`.',
      }),
    ),
    publish: Type.Optional(
      Type.Boolean({
        description:
          '`false` saves the definition of an active workflow as a version that is not active yet.',
      }),
    ),
    dry_run: dryRun,
  },
  { title: 'UpdateWorkflowInput', additionalProperties: false },
);

/** The longest name of a version, in characters. */
const MAX_VERSION_NAME_LENGTH = 100;

export const NameVersionSchema = Type.Object(
  {
    name: Type.Union([DisplayName(MAX_VERSION_NAME_LENGTH), Type.Null()], {
      description: 'The name; null removes it.',
    }),
  },
  { title: 'NameWorkflowVersionInput', additionalProperties: false },
);

export const PinOutputSchema = Type.Object(
  {
    output: Type.Unknown({ description: 'The output of the node.' }),
    ports: Type.Optional(
      PinPortsSchema(
        'The output ports of the pin. With several, `output` is an object by port. Default: the first port of the node.',
      ),
    ),
  },
  { title: 'PinOutputInput', additionalProperties: false },
);

export const WorkflowQuerySchema = Type.Object(
  {
    ...pagingFields,
    status: Type.Optional(StatusSchema),
    search: Type.Optional(Text(200, 'Text in the name or the description, ignoring case.')),
    tag: Type.Optional(Text(50, 'Only workflows with this tag.')),
    sort: Type.Optional(
      Type.Enum([...workflowSorts], {
        default: 'created_at',
        description:
          'The field by which the list is sorted. `last_execution`: by the creation of the newest execution; a workflow that never ran counts as the one that ran longest ago. Default: `created_at`.',
      }),
    ),
    direction: Type.Optional(
      Type.Enum(['asc', 'desc'], {
        description: 'Default: `asc` for `name`, otherwise `desc`.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const DeleteWorkflowQuery = Type.Object(
  {
    permanent: Type.Optional(
      Type.Boolean({
        description:
          '`true` deletes the workflow at once and permanently, also one that is already deleted and could be restored.',
      }),
    ),
  },
  { additionalProperties: false },
);
