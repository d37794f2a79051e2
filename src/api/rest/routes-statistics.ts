import { ModelPricesSchema, ModelUsageQuerySchema } from '../../contract/requests/model-usage.ts';
import { ListProviderModelsSchema } from '../../contract/requests/provider-models.ts';
import { ModelPricesResource, ModelUsageResource } from '../../contract/resources/model-usage.ts';
import { ProviderModelListResource } from '../../contract/resources/provider-models.ts';
import type { ModelPricesService } from '../../services/usage/model-prices.service.ts';
import type { ModelUsageService } from '../../services/usage/model-usage.service.ts';
import type { ProviderModels } from '../../services/usage/provider-models.service.ts';
import { presentModelPrices, presentModelUsage } from '../serializers/model-usage.ts';
import { presentProviderModels } from '../serializers/provider-models.ts';
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

export function modelRoutes(
  usage: ModelUsageService,
  prices: ModelPricesService,
  models: ProviderModels,
): Route[] {
  return [
    {
      method: 'GET',
      path: '/model-usage',
      operation: 'getModelUsage',
      status: 200,
      scope: 'executions:read',
      summary: 'Get the calls of language models, their tokens and cost, by day, workflow, user and model',
      response: ModelUsageResource,
      query: ModelUsageQuerySchema,
      handle: async ({ principal, query }) => presentModelUsage(await usage.get(principal, query)),
    },
    {
      method: 'GET',
      path: '/model-prices',
      operation: 'getModelPrices',
      status: 200,
      scope: 'executions:read',
      summary: 'Get the prices of language models',
      response: ModelPricesResource,
      handle: async ({ principal }) => presentModelPrices(await prices.list(principal)),
    },
    {
      method: 'PUT',
      path: '/model-prices',
      operation: 'setModelPrices',
      status: 200,
      scope: 'admin',
      summary: 'Replace the stored prices of language models',
      response: ModelPricesResource,
      body: ModelPricesSchema,
      handle: async ({ principal, body }) => presentModelPrices(await prices.replace(principal, body)),
    },
    {
      method: 'POST',
      path: '/provider-models',
      operation: 'listProviderModels',
      status: 200,
      scope: 'workflows:write',
      summary: 'List the models of a provider. A secret or a connection also needs secrets:use',
      response: ProviderModelListResource,
      body: ListProviderModelsSchema,
      handle: async ({ principal, body }) => presentProviderModels(await models.list(principal, body)),
    },
  ];
}
