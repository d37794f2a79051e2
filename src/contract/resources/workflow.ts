import { Type } from 'typebox';
import { workflowStatuses } from '../definition.ts';
import { AnyJson, Count, JsonObject, OneOf, Text, Time, listOf, nullable, resource } from './resource.ts';
import { triggerTypes } from '../execution.ts';

/** What answers show of workflows. */

export const DefinitionResource = resource('Definition', 'The graph: nodes joined by connections.', {
  nodes: Type.Array(
    resource('NodeEntry', 'One placed step of a workflow.', {
      id: Text(),
      type: Text(),
      position: Type.Optional(resource('Position', 'On the canvas.', { x: Type.Number(), y: Type.Number() })),
      config: Type.Optional(JsonObject('As its node type has it.')),
      name: Type.Optional(Text()),
      disabled: Type.Optional(Type.Boolean({ description: 'What arrives goes straight through.' })),
      notes: Type.Optional(Text()),
      version: Type.Optional(Text('Of its node type.')),
    }),
  ),
  connections: Type.Array(
    resource('Connection', 'From an output port to an input port.', {
      from: Text(),
      to: Text(),
      sourcePort: Type.Optional(Text()),
      targetPort: Type.Optional(Text()),
    }),
  ),
  annotations: Type.Optional(Type.Array(AnyJson(), { description: 'Text on the canvas.' })),
});

export const IssueResource = resource('Issue', 'A fault of a definition that may be saved in a draft.', {
  node_id: nullable(Text()),
  field: Text('A dotted path below the node.'),
  issue: Text(),
});

export const TriggerResource = resource('Trigger', 'What starts a workflow.', {
  node_id: Text(),
  type: OneOf(triggerTypes),
  url: Type.Optional(Text('Of a webhook.')),
  method: Type.Optional(Text('Of a webhook.')),
  next_run_at: Type.Optional(nullable(Time('Of a schedule, or of polling.'))),
  last_error: Type.Optional(nullable(Text('Why a schedule or a poll could not be served.'))),
});

export const SettingsResource = resource('WorkflowSettings', 'What holds for all executions of a workflow.', {
  timeout: nullable(Text('A duration, such as `30s`.')),
  max_concurrency: nullable(Type.Integer()),
  on_failure_workflow: nullable(Text()),
  retention: nullable(Text('A duration, such as `14d`.')),
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
  version: Type.Integer({ minimum: 1, description: 'The newest version; one more at every change.' }),
  active_version: nullable(
    Type.Integer({ minimum: 1, description: 'What triggers run; null unless active.' }),
  ),
  tags: Type.Array(Text()),
};

export const WorkflowSummaryResource = resource('WorkflowSummary', 'A workflow in a list.', summary);

export const WorkflowResource = resource('Workflow', 'A workflow with everything.', {
  ...summary,
  definition: DefinitionResource,
  issues: Type.Array(IssueResource),
  triggers: Type.Array(TriggerResource),
  owner_id: Text(),
  settings: SettingsResource,
});

export const WorkflowListResource = listOf('WorkflowList', 'workflows', WorkflowSummaryResource);

const versionSummary = {
  version: Type.Integer({ minimum: 1 }),
  created_at: Time(),
  node_count: Count(),
};
export const WorkflowVersionListResource = listOf(
  'WorkflowVersionList',
  'versions',
  resource('WorkflowVersionSummary', 'A version in a list.', versionSummary),
);
export const WorkflowVersionResource = resource('WorkflowVersion', 'A workflow as it was saved once.', {
  workflow_id: Text(),
  ...versionSummary,
  definition: DefinitionResource,
});
