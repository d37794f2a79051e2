import type { UsageStore } from '../ports/store/ai/model-usage.ts';
import { writeAudited } from './audited-change.ts';
import type { Driver } from './driver.ts';

export function createUsageStore({ write, read, readLong }: Driver): UsageStore {
  return {
    terms: (workflowId, day) => read('callTerms', workflowId, day),
    sum: (filter, groups, limit) => readLong('sumUsage', filter, groups, limit),
    prices: () => read('modelPrices'),
    setPrices: async (prices, event = null) =>
      void (await writeAudited(write, event, 'setModelPrices', prices)),
    prune: async (before, limit) => {
      for (let i = 0; i < limit; i++) if (!(await write('pruneUsageDay', before))) return false;
      return true;
    },
  };
}
