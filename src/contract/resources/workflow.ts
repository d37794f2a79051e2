import { Type } from 'typebox';
import { workflowStatuses } from '../definition.ts';
import {
  AnyJson,
  Count,
  JsonObject,
  Milliseconds,
  OneOf,
  PaginationResource,
  Text,
  Time,
  defineList,
  nullable,
  defineResource,
} from './resource.ts';
import { executionStatuses, triggerTypes } from '../execution.ts';

/** Response resources of workflows. */

export const DefinitionResource = defineResource('Definition', 'The graph: nodes joined by connections.', {
  nodes: Type.Array(
    defineResource('NodeEntry', 'A node in a workflow.', {
      id: Text(),
      type: Text(),
      position: Type.Optional(
        defineResource('Position', 'The position on the canvas.', { x: Type.Number(), y: Type.Number() }),
      ),
      config: Type.Optional(JsonObject('The configuration, as its node type defines it.')),
      name: Type.Optional(Text()),
      disabled: Type.Optional(
        Type.Boolean({ description: 'Whether the node is disabled and passes its input through.' }),
      ),
      notes: Type.Optional(Text()),
      version: Type.Optional(Text('The version of its node type.')),
    }),
  ),
  connections: Type.Array(
    defineResource('Connection', 'An edge from an output port to an input port.', {
      from: Text(),
      to: Text(),
      sourcePort: Type.Optional(Text()),
      targetPort: Type.Optional(Text()),
    }),
  ),
  annotations: Type.Optional(Type.Array(AnyJson(), { description: 'Notes on the canvas.' })),
});

export const IssueResource = defineResource(
  'Issue',
  'A validation error in a definition, which a draft may contain.',
  {
    node_id: nullable(Text()),
    field: Text('A dotted path within the node.'),
    issue: Text(),
  },
);

export const FormLinkResource = defineResource('FormLink', 'A link with which a form can be opened.', {
  name: Text(),
  url: Text('Any holder of it can open the page until it expires or is removed.'),
  expires_at: Text('As in the configuration: a date, whose end in UTC it is, or a time.'),
});

export const TriggerResource = defineResource('Trigger', 'What starts a workflow.', {
  node_id: Text(),
  type: OneOf(triggerTypes),
  url: Type.Optional(Text('Of a webhook, a form, or the page of a chat.')),
  method: Type.Optional(Text('Of a webhook.')),
  links: Type.Optional(
    Type.Array(FormLinkResource, { description: 'Of a form or a chat page with the access link.' }),
  ),
  next_run_at: Type.Optional(nullable(Time('The next run of a schedule or poll.'))),
  last_error: Type.Optional(nullable(Text('Why the last schedule or poll failed.'))),
});

export const SettingsResource = defineResource(
  'WorkflowSettings',
  'Settings for all executions of a workflow.',
  {
    timeout: nullable(Text('A duration, such as `30s`.')),
    max_concurrency: nullable(Type.Integer()),
    on_failure_workflow: nullable(Text()),
    retention: nullable(Text('A duration, such as `14d`.')),
    max_cost_per_day: nullable(
      Type.Number({ description: 'US dollars for calls of models on one day in UTC.' }),
    ),
    max_tokens_per_day: nullable(
      Type.Integer({ description: 'Tokens of calls of models on one day in UTC, input and output.' }),
    ),
  },
);

export const LastExecutionResource = defineResource('LastExecution', 'The newest execution of a workflow.', {
  id: Text(),
  status: OneOf(executionStatuses),
  started_at: nullable(Time()),
});

const summary = {
  id: Text(),
  name: Text(),
  description: Text(),
  status: OneOf(workflowStatuses),
  created_at: Time(),
  updated_at: Time(),
  node_count: Count(),
  execution_count: Count(),
  version: Type.Integer({ minimum: 1, description: 'The newest version; every change increments it.' }),
  active_version: nullable(
    Type.Integer({ minimum: 1, description: 'The version that triggers start; null unless active.' }),
  ),
  tags: Type.Array(Text()),
  last_execution: nullable(LastExecutionResource),
  next_due_at: nullable(Time('The earliest next run of its schedules and polls.')),
};

export const WorkflowSummaryResource = defineResource('WorkflowSummary', 'A workflow in a list.', summary);

export const WorkflowResource = defineResource('Workflow', 'A workflow with its definition and settings.', {
  ...summary,
  definition: DefinitionResource,
  issues: Type.Array(IssueResource),
  triggers: Type.Array(TriggerResource),
  owner_id: Text(),
  settings: SettingsResource,
});

export const WorkflowListResource = defineList('WorkflowList', 'workflows', WorkflowSummaryResource);

export const DeletedWorkflowResource = defineResource(
  'DeletedWorkflow',
  'A deleted workflow that can be restored. Its executions have been deleted.',
  {
    id: Text(),
    name: Text(),
    description: Text(),
    status: OneOf(['inactive', 'draft'], 'The status after it is restored.'),
    created_at: Time(),
    updated_at: Time(),
    node_count: Count(),
    version: Type.Integer({ minimum: 1 }),
    tags: Type.Array(Text()),
    deleted_at: Time(),
    deleted_by: nullable(Text('The id of the user who deleted it.')),
    purge_at: Time('When it is deleted permanently.'),
  },
);
export const DeletedWorkflowListResource = defineResource('DeletedWorkflowList', 'One page of a list.', {
  workflows: Type.Array(DeletedWorkflowResource),
  retention: Milliseconds(
    'How long a workflow that is deleted now can be restored, in ms; 0: it is deleted permanently.',
  ),
  pagination: PaginationResource,
});

export const VersionAuthorResource = defineResource('VersionAuthor', 'Who saved a version.', {
  type: OneOf(['user', 'api_key', 'oauth_client']),
  name: Text('The name of the user, API key or OAuth client when the version was saved.'),
});

const versionSummary = {
  version: Type.Integer({ minimum: 1 }),
  name: nullable(Text('Given by a user; null: none.')),
  author: nullable(VersionAuthorResource),
  created_at: Time(),
  node_count: Count(),
};
export const WorkflowVersionListResource = defineList(
  'WorkflowVersionList',
  'versions',
  defineResource('WorkflowVersionSummary', 'A version in a list.', versionSummary),
);
export const WorkflowVersionResource = defineResource('WorkflowVersion', 'A saved version of a workflow.', {
  workflow_id: Text(),
  ...versionSummary,
  version: Type.Integer({ description: 'Negative: a definition that an execution runs as a test.' }),
  definition: DefinitionResource,
});

export const PinnedOutputResource = defineResource(
  'PinnedOutput',
  'An output that runs from the editor use instead of running the node.',
  {
    node_id: Text(),
    output: AnyJson('With several ports, an object by port.'),
    ports: nullable(
      Type.Array(Text(), { description: 'The output ports of the pin. Null: the first port of the node.' }),
    ),
    pinned_at: Time(),
  },
);
export const PinnedOutputsResource = defineResource('PinnedOutputs', 'The pinned outputs of a workflow.', {
  pinned_outputs: Type.Array(PinnedOutputResource),
});
