import { expect, it } from 'vitest';
import { FILTER_GROUPS } from './filters.ts';
import { templateReference } from './reference.ts';

/** `npx vitest run src/engine/template/reference.test.ts -u` writes the page anew. */
it('docs/reference/templates.md is fresh', async () => {
  await expect(templateReference(FILTER_GROUPS)).toMatchFileSnapshot('../../../docs/reference/templates.md');
});
