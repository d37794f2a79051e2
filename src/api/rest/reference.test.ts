import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatRestReference } from './reference.ts';
import { accountRoutes } from './routes-accounts.ts';
import { routeGroups } from './routes.ts';

/** Routes access their services only when a request arrives. */
const groups = routeGroups({} as never);

/** `npx vitest run src/api/rest/reference.test.ts -u` updates the page. */
it('docs/reference/rest.md is up to date; regenerate it with: npm test -- src/api/rest/reference.test.ts -u', async () => {
  await expect(formatRestReference(groups)).toMatchFileSnapshot('../../../docs/reference/rest.md');
});

it('every file of routes is in routes.ts', () => {
  const table = readFileSync(join(import.meta.dirname, 'routes.ts'), 'utf8');
  const files = readdirSync(import.meta.dirname).filter(
    (file) => file.startsWith('routes-') && !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(table, 'Change src/api/rest/routes.ts').toContain(`'./${file}'`);
});

it('every account route is in a group', () => {
  const shown = groups.flatMap((group) => group.routes.map((route) => route.operation));
  for (const { operation } of accountRoutes({} as never)) expect(shown).toContain(operation);
});

it('every link within the page points to a heading', () => {
  const page = formatRestReference(groups);
  const headings = new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map((match) =>
      match[1]!
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !headings.has(link))).toEqual([]);
});
