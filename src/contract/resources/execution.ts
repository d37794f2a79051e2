import { Type } from 'typebox';
import {
  executionStatuses,
  logLevels,
  nodeErrorTypes,
  nodeRunStatuses,
  settledStatuses,
  triggerTypes,
} from '../execution.ts';
import { ModelUsageSumResource } from './model-usage.ts';
import {
  AnyJson,
  Milliseconds,
  OneOf,
  PaginationResource,
  Text,
  Time,
  defineList,
  nullable,
  defineResource,
} from './resource.ts';

/** Response resources of executions. */

const errorFields = {
  type: OneOf(nodeErrorTypes),
  message: Text(),
  node_id: Text('Empty when no single node is the cause.'),
  attempt: Type.Integer({ minimum: 0, description: 'The number of attempts made.' }),
  status: Type.Optional(Type.Integer({ description: 'The HTTP status of the response.' })),
};

export const NodeErrorResource = defineResource('NodeError', 'Why a node run or an execution failed.', {
  ...errorFields,
  data: Type.Optional(AnyJson()),
});
export const NodeErrorSummaryResource = defineResource(
  'NodeErrorSummary',
  'The error without its data.',
  errorFields,
);

export const ExecutionTriggerResource = Type.Object(
  { type: OneOf(triggerTypes), node_id: Type.Optional(Text()) },
  {
    title: 'ExecutionTrigger',
    description: 'What started an execution; further fields depend on the type.',
    additionalProperties: true,
  },
);

const common = {
  id: Text(),
  workflow_id: Text(),
  workflow_version: Type.Integer({
    description: 'Negative: a definition that was run as a test, and is not a version of the workflow.',
  }),
  status: OneOf(executionStatuses),
  trigger: ExecutionTriggerResource,
  progress: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "The fraction of the graph's nodes that have ended.",
  }),
  current_node: nullable(Text()),
  start_time: nullable(Time()),
  end_time: nullable(Time()),
  duration: nullable(Milliseconds('From start to end, in milliseconds.')),
  parent_execution_id: nullable(Text()),
  retry_of: nullable(Text()),
};

export const RetryResource = defineResource('ExecutionRetry', 'An execution that retries another.', {
  id: Text(),
  status: OneOf(executionStatuses),
  start_time: nullable(Time()),
});
const retries = Type.Array(RetryResource, {
  description: 'The newest 10 retries of the execution, newest first.',
});

export const ExecutionSummaryResource = defineResource('ExecutionSummary', 'An execution in a list.', {
  ...common,
  retries,
  error: nullable(NodeErrorSummaryResource),
});

const result = {
  ...common,
  input: AnyJson(),
  output: AnyJson("The end node's output; with several end nodes, the outputs by node id."),
  error: nullable(NodeErrorResource),
};
export const ExecutionResource = defineResource('Execution', 'One run of a workflow.', result);

export const NodeRunResource = defineResource('NodeRun', 'One run of a node within an execution.', {
  node_id: Text(),
  path: Text('Identifies the iteration: `loop[17]/x`.'),
  type: Text(),
  status: OneOf(nodeRunStatuses),
  attempt: Type.Integer({ minimum: 0, description: 'The number of attempts made.' }),
  start_time: nullable(Time()),
  end_time: nullable(Time()),
  duration: nullable(Milliseconds()),
  input: AnyJson(),
  output: AnyJson(),
  output_ports: Type.Array(Text(), {
    description: 'The output ports, and the fields used as ports, that delivered a value.',
  }),
  error: nullable(NodeErrorResource),
});

export const ExecutionDetailResource = defineResource(
  'ExecutionDetail',
  'One run of a workflow, with its node runs.',
  {
    ...result,
    retries,
    usage: nullable(ModelUsageSumResource),
    nodes: Type.Array(NodeRunResource, {
      description:
        'The first 1,000 node runs, or as many as fit in 32 MiB, those in bodies in 4 MiB; `/executions/{id}/nodes` lists all of them by page.',
    }),
    nodes_total: Type.Integer({ minimum: 0, description: 'The number of all node runs.' }),
  },
);

export const ResumedResource = defineResource('Resumed', 'The execution was resumed.', {
  execution_id: Text(),
});

export const ExecutionListResource = defineResource('ExecutionList', 'One page of a list.', {
  executions: Type.Array(ExecutionSummaryResource),
  pagination: PaginationResource,
  searched_from: nullable(
    Time(
      'Where a search stopped at its limit: executions created before this time were not searched. Null when all were searched, and without a search. To search further, repeat the request with this time as `to`.',
    ),
  ),
});
export const NodeRunListResource = defineList('NodeRunList', 'nodes', NodeRunResource);

export const LogEntryResource = defineResource('LogEntry', "One entry of an execution's log.", {
  timestamp: Time(),
  level: OneOf(logLevels),
  node_id: nullable(Text()),
  message: Text(),
  data: AnyJson(),
});
export const LogListResource = defineList('LogList', 'logs', LogEntryResource);
/** The last event of a live log, of type `end`. */
export const LogEndResource = defineResource('LogEnd', 'The execution has ended, and its log is complete.', {
  status: OneOf(settledStatuses),
});
