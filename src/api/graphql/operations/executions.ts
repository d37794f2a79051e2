import { GraphQLID, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import { PaginationResource } from '../../../contract/resources/resource.ts';
import { ExecutionListResource } from '../../../contract/resources/execution.ts';
import { EvaluatedResource, EvaluateSchema } from '../../../contract/requests/evaluate.ts';
import { ExecuteSchema, ExecutionQuerySchema, RetrySchema } from '../../../contract/requests/execution.ts';
import { formatIsoTimeOrNull } from '../../../lib/time/iso-time.ts';
import type { ExecutionType } from '../sources.ts';
import { createOutputType, createIdArg, createInputArg, type OperationBuilder } from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

export function executionOperations(
  builder: OperationBuilder,
  { executions, evaluations }: GraphqlServices,
  type: ExecutionType,
): Operation[] {
  const pagination = builder.objects.of(PaginationResource);
  const filter = createInputArg(builder, 'filter', 'ExecutionFilter', ExecutionQuerySchema);
  const execute = createInputArg(builder, 'input', 'ExecuteWorkflowInput', ExecuteSchema, {
    optional: true,
    extra: {
      idempotencyKey: {
        type: GraphQLString,
        description: 'The same key and input return the same execution for 24 h.',
        extensions: { contractName: 'Idempotency-Key' },
      },
    },
  });
  const retry = createInputArg(builder, 'input', 'RetryExecutionInput', RetrySchema, { optional: true });
  const evaluate = createInputArg(builder, 'input', 'EvaluateTemplateInput', EvaluateSchema);
  const evaluated = createOutputType(builder, EvaluatedResource);
  const execution = new GraphQLNonNull(type.type);
  const id = createIdArg('The id of the execution.');
  const listCost = { limit: ['filter', 'limit'] };

  return [
    {
      kind: 'query',
      name: 'executions',
      scope: 'executions:read',
      description: 'Your executions, newest first.',
      args: filter.args,
      type: new GraphQLNonNull(new GraphQLList(execution)),
      cost: listCost,
      resolve: async (args, principal) =>
        (await executions.list(principal, filter.read(args))).rows.map(type.ofRow),
    },
    {
      kind: 'query',
      name: 'executionsPage',
      scope: 'executions:read',
      description: 'Your executions with the total count.',
      args: filter.args,
      type: createOutputType(builder, ExecutionListResource).type,
      cost: listCost,
      async resolve(args, principal) {
        const found = await executions.list(principal, filter.read(args));
        return {
          executions: found.rows.map(type.ofRow),
          pagination: pagination.show(found.pagination as never),
          searchedFrom: formatIsoTimeOrNull(found.searchedFrom),
        };
      },
    },
    {
      kind: 'query',
      name: 'execution',
      scope: 'executions:read',
      description: 'An execution; null when the id does not exist or belongs to another user.',
      args: { id },
      type: type.type,
      resolve: (args, principal) =>
        toNullIfMissing(executions.row(principal, readText(args, 'id')).then(type.ofRow)),
    },
    {
      kind: 'query',
      name: 'evaluateTemplate',
      scope: 'executions:read',
      description:
        'Evaluates a template with the data of an execution or with custom data. Nothing is executed.',
      args: evaluate.args,
      type: evaluated.type,
      resolve: async (args, principal) =>
        evaluated.show({ value: await evaluations.evaluate(principal, evaluate.read(args)) }),
    },
    {
      kind: 'mutation',
      name: 'executeWorkflow',
      scope: 'executions:write',
      description: 'Runs the newest version of a workflow manually.',
      args: {
        id: { type: new GraphQLNonNull(GraphQLID), description: 'The id of the workflow.' },
        ...execute.args,
      },
      type: execution,
      async resolve(args, principal, { time, traceContext }) {
        const given = args['input'] as { idempotencyKey?: string | null } | null | undefined;
        const { execution } = await time.runUntimed(() =>
          executions.execute(
            principal,
            readText(args, 'id'),
            execute.read(args),
            given?.idempotencyKey ?? null,
            traceContext,
          ),
        );
        return type.ofResult(execution);
      },
    },
    {
      kind: 'mutation',
      name: 'stopExecution',
      scope: 'executions:write',
      description: 'Stops an execution.',
      args: { id },
      type: execution,
      resolve: async (args, principal) =>
        type.ofResult(await executions.stop(principal, readText(args, 'id'))),
    },
    {
      kind: 'mutation',
      name: 'retryExecution',
      scope: 'executions:write',
      description:
        'Runs an execution again from the failed nodes, from the start, from a node or from a place in a body.',
      args: { id, ...retry.args },
      type: execution,
      resolve: async (args, principal, { traceContext }) =>
        type.ofResult(
          await executions.retry(principal, readText(args, 'id'), retry.read(args), traceContext),
        ),
    },
  ];
}
