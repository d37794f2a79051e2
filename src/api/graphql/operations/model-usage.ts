import { ModelPricesSchema, ModelUsageQuerySchema } from '../../../contract/requests/model-usage.ts';
import { ListProviderModelsSchema } from '../../../contract/requests/provider-models.ts';
import { ModelPricesResource, ModelUsageResource } from '../../../contract/resources/model-usage.ts';
import { ProviderModelListResource } from '../../../contract/resources/provider-models.ts';
import { presentModelPrices, presentModelUsage } from '../../serializers/model-usage.ts';
import { presentProviderModels } from '../../serializers/provider-models.ts';
import type { GraphqlServices } from '../services.ts';
import {
  createInputArg,
  createOutputType,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import type { Operation } from './operation.ts';

/** Sums of up to two years. */
const USAGE_COST = { own: 10 };

export function modelUsageOperations(
  builder: OperationBuilder,
  { modelUsage, modelPrices, providerModels }: GraphqlServices,
): Operation[] {
  const usage = createOutputType(builder, ModelUsageResource);
  const prices = createOutputType(builder, ModelPricesResource);
  const query = createQueryArgs(builder, ModelUsageQuerySchema);
  const input = createInputArg(builder, 'input', 'SetModelPricesInput', ModelPricesSchema);
  const models = createOutputType(builder, ProviderModelListResource);
  const provider = createInputArg(builder, 'input', 'ListProviderModelsInput', ListProviderModelsSchema);
  return [
    {
      kind: 'query',
      name: 'modelUsage',
      scope: 'executions:read',
      description: 'The calls of language models, their tokens and cost, by day, workflow, user and model.',
      args: query.args,
      type: usage.type,
      cost: USAGE_COST,
      resolve: async (args, principal) =>
        usage.show(presentModelUsage(await modelUsage.get(principal, query.read(args)))),
    },
    {
      kind: 'query',
      name: 'modelPrices',
      scope: 'executions:read',
      description: 'The prices of language models.',
      args: {},
      type: prices.type,
      resolve: async (_args, principal) => prices.show(presentModelPrices(await modelPrices.list(principal))),
    },
    {
      kind: 'mutation',
      name: 'setModelPrices',
      scope: 'admin',
      description: 'Replaces the stored prices of language models.',
      args: input.args,
      type: prices.type,
      resolve: async (args, principal) =>
        prices.show(presentModelPrices(await modelPrices.replace(principal, input.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'listProviderModels',
      scope: 'workflows:write',
      description:
        'Lists the models of a provider. A secret or a connection also needs the scope secrets:use.',
      args: provider.args,
      type: models.type,
      resolve: async (args, principal) =>
        models.show(presentProviderModels(await providerModels.list(principal, provider.read(args)))),
    },
  ];
}
