import { expect, it } from 'vitest';
import { FILTER_GROUPS } from './filters.ts';
import { formatTemplateReference } from './reference.ts';

/** `npx vitest run src/expressions/reference.test.ts -u` writes the page anew. */
it('docs/reference/templates.md is up to date; regenerate it with: npm test -- src/expressions/reference.test.ts -u', async () => {
  await expect(formatTemplateReference(FILTER_GROUPS)).toMatchFileSnapshot(
    '../../docs/reference/templates.md',
  );
});

it('every filter has a row of its own on the page', () => {
  const page = formatTemplateReference(FILTER_GROUPS);
  const names = FILTER_GROUPS.flatMap(({ functions }) => functions.map(({ name }) => name));
  expect(names.length).toBeGreaterThanOrEqual(46);
  for (const name of names) expect(page).toMatch(new RegExp(`^\\| \`${name}[\`:]`, 'm'));
});
