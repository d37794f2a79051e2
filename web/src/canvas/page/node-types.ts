import { client } from '../../data/client.ts';
import { queryClient } from '../../data/query-client.ts';
import { language, loadNodeTexts } from '../../i18n/index.ts';
import { translateTypes } from '../../node-panel/model/translate-types.ts';
import type { NodeType } from '../model/catalog.ts';

/** ms that the node types are cached. */
const MAX_TYPES_AGE_MS = 5 * 60_000;

/** All node types in the language of the editor, cached. */
export async function loadNodeTypes(): Promise<readonly NodeType[]> {
  const types = await queryClient.fetchQuery({
    queryKey: ['nodes', 'all'],
    queryFn: async () => {
      const [{ nodes }, translate] = await Promise.all([client.nodes.list({}), loadNodeTexts()]);
      const all = nodes as unknown as NodeType[];
      return language === 'en' ? all : translateTypes(all, translate);
    },
    staleTime: MAX_TYPES_AGE_MS,
  });
  return types;
}
