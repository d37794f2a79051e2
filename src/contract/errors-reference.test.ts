import { expect, it } from 'vitest';
import { formatErrorReference } from './errors-reference.ts';
import { errorCatalog } from './errors.ts';

/** `npx vitest run src/contract/errors-reference.test.ts -u` regenerates the page. */
it('docs/reference/errors.md is up to date; regenerate it with: npm test -- src/contract/errors-reference.test.ts -u', async () => {
  await expect(formatErrorReference()).toMatchFileSnapshot('../../docs/reference/errors.md');
});

it('uses only the statuses of the interface', () => {
  const statuses = new Set(Object.values(errorCatalog).map(({ status }) => status));
  expect([...statuses].sort((a, b) => a - b)).toEqual([400, 401, 403, 404, 429, 500]);
});
