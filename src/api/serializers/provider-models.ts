import type { ProviderModelList } from '../../contract/ai/models.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';

export function presentProviderModels({ models, listedAt }: ProviderModelList) {
  return {
    listed_at: formatIsoTime(listedAt),
    models: models.map(({ id, name, isPriced }) => ({ id, name, priced: isPriced })),
  };
}
