import { GraphQLList, GraphQLNonNull, type GraphQLObjectType } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import {
  ExecutionDetailResource,
  LogEntryResource,
  LogListResource,
  NodeRunListResource,
  NodeRunResource,
} from '../../../contract/resources/execution.ts';
import { WorkflowResource } from '../../../contract/resources/workflow.ts';
import { LogQuerySchema } from '../../../contract/requests/execution.ts';
import { PaginationResource } from '../../../contract/resources/resource.ts';
import type { ExecutionInside, ExecutionResult } from '../../../services/executions/execution-view.ts';
import { presentExecution, presentLogEntry, presentNodeRun } from '../../serializers/execution.ts';
import type { RequestContext } from '../request-context.ts';
import { costOf, type CostRule } from '../limits/cost-rule.ts';
import { queryArgs, type OperationBuilder } from '../operations/operation-builder.ts';
import type { Field, Fields } from './object-types.ts';
import type { Args } from '../operations/operation.ts';
import { JsonScalar } from './scalars.ts';
import type { ExecutionSource, ExecutionType, WorkflowType } from '../sources.ts';

/** To read what is inside costs a fold of the journal, however much of it is shown. */
const FOLD: CostRule = { own: 3 };
const FOLD_LIST: CostRule = { own: 3, limit: ['limit'] };

export function executionType(kit: OperationBuilder, workflows: () => WorkflowType): ExecutionType {
  const execution = kit.objects.of(ExecutionDetailResource);
  const nodeRun = kit.objects.of(NodeRunResource);
  const logEntry = kit.objects.of(LogEntryResource);
  const pagination = kit.objects.of(PaginationResource);
  const nodeArgs = queryArgs(kit, PageQuery);
  const logArgs = queryArgs(kit, LogQuerySchema);
  const list = (type: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
  const show = (result: ExecutionResult): object =>
    execution.show(presentExecution(result) as never) as object;

  function nodesOf(inside: ExecutionInside, args: Args) {
    const found = inside.nodes(nodeArgs.read(args));
    return {
      nodes: found.nodes.map((run) => nodeRun.show(presentNodeRun(run) as never)),
      pagination: pagination.show(found.pagination as never),
    };
  }
  function logsOf(inside: ExecutionInside, args: Args) {
    const found = inside.logs(logArgs.read(args));
    return {
      logs: found.entries.map((entry) => logEntry.show(presentLogEntry(entry) as never)),
      pagination: pagination.show(found.pagination as never),
    };
  }
  const inside =
    <T>(read: (inside: ExecutionInside, args: Args) => T) =>
    async ({ row }: ExecutionSource, args: Args, { loaders }: RequestContext): Promise<T> =>
      read(await loaders.inside(row), args);

  const fields: Fields = {
    input: {
      type: JsonScalar,
      ...costOf(FOLD),
      resolve: async ({ row, result }: ExecutionSource, _args: Args, { loaders }: RequestContext) =>
        result === null ? (await loaders.inside(row)).input() : result.input,
    } as Field,
    output: {
      type: JsonScalar,
      description: "The end node's output; of several end nodes, by node id.",
      ...costOf(FOLD),
      resolve: async ({ row, result }: ExecutionSource, _args: Args, { loaders }: RequestContext) =>
        result === null ? (await loaders.inside(row)).output() : result.output,
    } as Field,
    nodes: {
      type: list(nodeRun.type),
      description: 'The node runs, a page of them.',
      args: nodeArgs.args,
      ...costOf(FOLD_LIST),
      resolve: inside((one, args) => nodesOf(one, args).nodes),
    } as Field,
    nodesPage: {
      type: new GraphQLNonNull(kit.objects.of(NodeRunListResource).type),
      description: 'The same with how many there are.',
      args: nodeArgs.args,
      ...costOf(FOLD_LIST),
      resolve: inside(nodesOf),
    } as Field,
    logs: {
      type: list(logEntry.type),
      description: 'The log, oldest first, a page of it.',
      args: logArgs.args,
      ...costOf(FOLD_LIST),
      resolve: inside((one, args) => logsOf(one, args).logs),
    } as Field,
    logsPage: {
      type: new GraphQLNonNull(kit.objects.of(LogListResource).type),
      description: 'The same with how many there are.',
      args: logArgs.args,
      ...costOf(FOLD_LIST),
      resolve: inside(logsOf),
    } as Field,
    workflow: {
      type: kit.objects.of(WorkflowResource).type,
      description: 'What it is a run of.',
      ...costOf({ own: 1 }),
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
