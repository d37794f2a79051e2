import { StatisticsQuerySchema } from '../../contract/requests/statistics.ts';
import { StatisticsResource } from '../../contract/resources/statistics.ts';
import type { StatisticsService } from '../../services/executions/statistics.service.ts';
import { presentStatistics } from '../serializers/statistics.ts';
import type { Route } from './route.ts';

export function statisticsRoutes(statistics: StatisticsService): Route[] {
  return [
    {
      method: 'GET',
      path: '/statistics',
      operation: 'getStatistics',
      status: 200,
      scope: 'executions:read',
      summary: 'Get the number of your ended executions and their duration over time',
      response: StatisticsResource,
      query: StatisticsQuerySchema,
      handle: async ({ principal, query }) => presentStatistics(await statistics.ofOwner(principal, query)),
    },
    {
      method: 'GET',
      path: '/workflows/{id}/statistics',
      operation: 'getWorkflowStatistics',
      status: 200,
      scope: 'executions:read',
      summary: "Get the number of a workflow's ended executions and their duration over time",
      response: StatisticsResource,
      query: StatisticsQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentStatistics(await statistics.ofWorkflow(principal, params['id']!, query)),
    },
  ];
}
