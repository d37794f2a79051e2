import { StatisticsQuerySchema } from '../../../contract/requests/statistics.ts';
import { StatisticsResource } from '../../../contract/resources/statistics.ts';
import { presentStatistics } from '../../serializers/statistics.ts';
import type { GraphqlServices } from '../services.ts';
import {
  createIdArg,
  createOutputType,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { readText, type Operation } from './operation.ts';

/** Sums of up to some hundred intervals. */
const STATISTICS_COST = { own: 10 };

export function statisticsOperations(
  builder: OperationBuilder,
  { statistics }: GraphqlServices,
): Operation[] {
  const result = createOutputType(builder, StatisticsResource);
  const range = createQueryArgs(builder, StatisticsQuerySchema);
  return [
    {
      kind: 'query',
      name: 'statistics',
      scope: 'executions:read',
      description: 'The number of your ended executions and their duration over time.',
      args: range.args,
      type: result.type,
      cost: STATISTICS_COST,
      resolve: async (args, principal) =>
        result.show(presentStatistics(await statistics.ofOwner(principal, range.read(args)))),
    },
    {
      kind: 'query',
      name: 'workflowStatistics',
      scope: 'executions:read',
      description: "The number of a workflow's ended executions and their duration over time.",
      args: { id: createIdArg('The id of the workflow.'), ...range.args },
      type: result.type,
      cost: STATISTICS_COST,
      resolve: async (args, principal) =>
        result.show(
          presentStatistics(await statistics.ofWorkflow(principal, readText(args, 'id'), range.read(args))),
        ),
    },
  ];
}
