import type { ProviderModelList } from '../../contract/ai/models.ts';
import type { Principal } from '../../contract/principal.ts';
import { ListProviderModelsSchema } from '../../contract/requests/provider-models.ts';
import { validate } from '../../contract/validate.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { listProviderModels } from '../../nodes/ai/list-provider-models.ts';
import { requireScope } from '../authorize.ts';
import { runList, type ListDeps } from '../list-attempt.ts';

export type ProviderModels = ReturnType<typeof createProviderModels>;

const LIST_TIMEOUT = '30s';

/** The models of providers, for the forms of nodes that call one. */
export function createProviderModels(deps: ListDeps) {
  return {
    /**
     * Lists the models of a provider. The scope `secrets:use` is needed to use a secret or a connection.
     * @throws {WeftError} VALIDATION_ERROR with the field, also when the provider does not list its models.
     */
    async list(principal: Principal, input: unknown): Promise<ProviderModelList> {
      requireScope(principal, 'workflows:write');
      const { base_url: baseUrl, refresh = false, ...given } = validate(ListProviderModelsSchema, input);
      const config: JsonObject = {
        ...given,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        refresh,
        timeout: LIST_TIMEOUT,
      };
      const list = await runList(
        deps,
        principal,
        listProviderModels,
        config,
        (message) => ({
          field: baseUrl === undefined ? 'provider' : 'base_url',
          issue: `did not list its models: ${message}`,
        }),
        { baseUrl: 'base_url' },
      );
      return list as unknown as ProviderModelList;
    },
  };
}
