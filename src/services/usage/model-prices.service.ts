import type { ModelPrice, ModelPrices } from '../../contract/ai/models.ts';
import { createValidationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { ModelPricesSchema } from '../../contract/requests/model-usage.ts';
import { validate } from '../../contract/validate.ts';
import type { UsageStore } from '../../ports/store/ai/model-usage.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';

export type PriceView = ModelPrice & { model: string; isStored: boolean };
export type ModelPricesService = ReturnType<typeof createModelPrices>;

/** The prices of language models: those of the setting, and those that administrators store. */
export function createModelPrices(deps: {
  usage: Pick<UsageStore, 'prices' | 'setPrices'>;
  /** The prices of the setting. A stored price of the same model replaces one. */
  setting: ModelPrices;
  audit: Pick<AuditLog, 'describe'>;
}) {
  const { usage, setting, audit } = deps;

  function list(stored: ModelPrices): PriceView[] {
    return Object.entries({ ...setting, ...stored })
      .map(([model, price]) => ({ ...price, model, isStored: Object.hasOwn(stored, model) }))
      .toSorted((a, b) => (a.model < b.model ? -1 : 1));
  }

  return {
    async list(principal: Principal): Promise<PriceView[]> {
      requireScope(principal, 'executions:read');
      return list(await usage.prices());
    },

    /** Replaces all stored prices. Calls that begin afterwards use them, in every process. */
    async replace(principal: Principal, input: unknown): Promise<PriceView[]> {
      requireScope(principal, 'admin');
      const { prices } = validate(ModelPricesSchema, input);
      const byModel = new Map<string, ModelPrice>();
      for (const [i, { model, input: ofInput, cached_input: cached, output }] of prices.entries()) {
        if (byModel.has(model))
          throw createValidationError([
            { field: `prices[${i}].model`, issue: `${model} must not be listed twice` },
          ]);
        byModel.set(model, {
          input: ofInput,
          ...(typeof cached === 'number' && { cached_input: cached }),
          output,
        });
      }
      const stored = Object.fromEntries(byModel);
      const target = { id: 'model_prices', name: null };
      await usage.setPrices(
        stored,
        audit.describe(principal, 'model_prices.updated', target, { models: [...byModel.keys()] }),
      );
      return list(stored);
    },
  };
}
