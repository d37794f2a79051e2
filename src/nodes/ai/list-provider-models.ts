import { Type } from 'typebox';
import { HttpFailure } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { listNamedConnection } from '../connectors/credentials.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed } from '../schema.ts';
import {
  createModelServer,
  isHttpUrl,
  modelFields,
  modelSecrets,
  modelTemplates,
  URL_ISSUE,
  validateModel,
} from './model-fields.ts';

const { provider, baseUrl, credentials, connection } = modelFields;

/**
 * Lists the models of a provider. It is not in the catalog: the service of the list runs it as a node, so
 * that the same secrets, egress policy and limits apply. Its output is a `ProviderModelList`.
 */
export const listProviderModels = defineNode({
  type: 'list_provider_models',
  version: '1.0.0',
  name: 'List models of a provider',
  category: 'ai',
  description: 'Lists the models of a provider.',
  icon: 'sparkles',
  config: closed({ provider, baseUrl, credentials, connection, refresh: Type.Boolean() }),
  templates: modelTemplates,
  outputs: [{ name: 'out', type: 'object', description: 'A ProviderModelList' }],
  effects: 'external',
  secrets: modelSecrets,
  keepsTime: true,
  check: validateModel,
  connections: listNamedConnection,
  async run(ctx, config) {
    if (config.baseUrl !== undefined && !isHttpUrl(config.baseUrl)) return invalid('baseUrl', URL_ISSUE);
    try {
      const server = createModelServer(ctx, { ...config, model: '' });
      return done((await ctx.models.list(server, { refresh: config.refresh })) as unknown as Json);
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      throw error;
    }
  },
  examples: [],
});
