import { GraphQLInt, GraphQLList, GraphQLNonNull, type GraphQLObjectType } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import {
  ExecutionDetailResource,
  LogEntryResource,
  LogListResource,
  NodeRunListResource,
  NodeRunResource,
  RetryResource,
} from '../../../contract/resources/execution.ts';
import { ModelUsageSumResource } from '../../../contract/resources/model-usage.ts';
import { WorkflowResource } from '../../../contract/resources/workflow.ts';
import { LogQuerySchema } from '../../../contract/requests/execution.ts';
import { PaginationResource } from '../../../contract/resources/resource.ts';
import type { ExecutionDetails, ExecutionResult } from '../../../services/executions/execution-view.ts';
import {
  presentExecution,
  presentLogEntry,
  presentNodeRun,
  presentRetry,
} from '../../serializers/execution.ts';
import { presentCallAmounts } from '../../serializers/model-usage.ts';
import type { RequestContext } from '../request-context.ts';
import { withCost, type CostRule } from '../limits/cost-rule.ts';
import { createQueryArgs, type OperationBuilder } from '../operations/operation-builder.ts';
import type { Field, Fields } from './object-types.ts';
import type { Args } from '../operations/operation.ts';
import { JsonScalar } from './scalars.ts';
import type { ExecutionSource, ExecutionType, WorkflowType } from '../sources.ts';

/** Reading any detail of an execution replays its journal. */
const REPLAY_COST: CostRule = { own: 3 };
const REPLAY_LIST_COST: CostRule = { own: 3, limit: ['limit'] };

export function createExecutionType(builder: OperationBuilder, workflows: () => WorkflowType): ExecutionType {
  const execution = builder.objects.of(ExecutionDetailResource);
  const nodeRun = builder.objects.of(NodeRunResource);
  const logEntry = builder.objects.of(LogEntryResource);
  const retry = builder.objects.of(RetryResource);
  const usage = builder.objects.of(ModelUsageSumResource);
  const pagination = builder.objects.of(PaginationResource);
  const nodeArgs = createQueryArgs(builder, PageQuery);
  const logArgs = createQueryArgs(builder, LogQuerySchema);
  const list = (type: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
  const show = (result: ExecutionResult): object =>
    execution.show(presentExecution(result) as never) as object;

  async function loadNodes(inside: ExecutionDetails, args: Args) {
    const found = await inside.nodes(nodeArgs.read(args));
    return {
      nodes: found.nodes.map((run) => nodeRun.show(presentNodeRun(run) as never)),
      pagination: pagination.show(found.pagination as never),
    };
  }
  async function loadLogs(inside: ExecutionDetails, args: Args) {
    const found = await inside.logs(logArgs.read(args));
    return {
      logs: found.entries.map((entry) => logEntry.show(presentLogEntry(entry) as never)),
      pagination: pagination.show(found.pagination as never),
    };
  }
  const inside =
    <T>(read: (inside: ExecutionDetails, args: Args) => T | Promise<T>) =>
    async ({ row }: ExecutionSource, args: Args, { loaders }: RequestContext): Promise<T> =>
      read(await loaders.details(row), args);

  const fields: Fields = {
    input: {
      type: JsonScalar,
      ...withCost(REPLAY_COST),
      resolve: async ({ row, result }: ExecutionSource, _args: Args, { loaders }: RequestContext) =>
        result === null ? (await loaders.details(row)).input() : result.input,
    } as Field,
    output: {
      type: JsonScalar,
      description: 'The output of the end node. With several end nodes, an object by node id.',
      ...withCost(REPLAY_COST),
      resolve: async ({ row, result }: ExecutionSource, _args: Args, { loaders }: RequestContext) =>
        result === null ? (await loaders.details(row)).output() : result.output,
    } as Field,
    nodes: {
      type: list(nodeRun.type),
      description: 'A page of the node runs.',
      args: nodeArgs.args,
      ...withCost(REPLAY_LIST_COST),
      resolve: inside(async (one, args) => (await loadNodes(one, args)).nodes),
    } as Field,
    nodesPage: {
      type: new GraphQLNonNull(builder.objects.of(NodeRunListResource).type),
      description: 'A page of the node runs with the total count.',
      args: nodeArgs.args,
      ...withCost(REPLAY_LIST_COST),
      resolve: inside(loadNodes),
    } as Field,
    nodesTotal: {
      type: new GraphQLNonNull(GraphQLInt),
      description: 'The number of all node runs.',
      ...withCost(REPLAY_COST),
      resolve: inside(async (one) => (await one.nodes({ limit: 1 })).pagination.total),
    } as Field,
    logs: {
      type: list(logEntry.type),
      description: 'A page of the log, oldest first.',
      args: logArgs.args,
      ...withCost(REPLAY_LIST_COST),
      resolve: inside(async (one, args) => (await loadLogs(one, args)).logs),
    } as Field,
    logsPage: {
      type: new GraphQLNonNull(builder.objects.of(LogListResource).type),
      description: 'A page of the log with the total count.',
      args: logArgs.args,
      ...withCost(REPLAY_LIST_COST),
      resolve: inside(loadLogs),
    } as Field,
    usage: {
      type: usage.type,
      description: 'The calls of language models that its nodes completed; null without any.',
      ...withCost(REPLAY_COST),
      resolve: inside(async (one) => {
        const found = await one.usage();
        return found === null ? null : usage.show(presentCallAmounts(found) as never);
      }),
    } as Field,
    retries: {
      type: list(retry.type),
      description: 'The newest 10 retries of the execution, newest first.',
      ...withCost({ own: 1 }),
      resolve: async ({ row }: ExecutionSource, _args: Args, { loaders }: RequestContext) =>
        (await loaders.retries(row.id)).map((each) => retry.show(presentRetry(each) as never)),
    } as Field,
    workflow: {
      type: builder.objects.of(WorkflowResource).type,
      description: 'The workflow of the execution.',
      ...withCost({ own: 1 }),
      async resolve({ row }: ExecutionSource, _args: Args, { loaders }: RequestContext) {
        const found = await loaders.workflow(row.workflowId);
        return found === null ? null : workflows().ofRow(found);
      },
    } as Field,
  };

  return {
    type: execution.type,
    fields,
    ofRow: (row) => ({ ...show({ row, input: null, output: null }), row, result: null }),
    ofResult: (result) => ({ ...show(result), row: result.row, result }),
  };
}
