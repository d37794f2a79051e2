import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { restReference } from './reference.ts';
import { executionRoutes } from './routes-executions.ts';
import { fileRoutes } from './routes-files.ts';
import { healthRoutes } from './routes-health.ts';
import { nodeRoutes } from './routes-nodes.ts';
import { peopleRoutes } from './routes-people.ts';
import { workflowRoutes } from './routes-workflows.ts';

/** The tables need no services: these are asked for only when a request comes. */
const nothing = {} as never;
const tables = {
  workflows: workflowRoutes(nothing),
  executions: executionRoutes(nothing),
  files: fileRoutes(nothing),
  nodes: nodeRoutes(nothing),
  people: peopleRoutes(nothing),
  health: healthRoutes(nothing),
};

/** `npx vitest run src/api/rest/reference.test.ts -u` writes the page anew. */
it('docs/reference/rest.md is fresh', async () => {
  const page = restReference([
    { title: 'Login, users, API keys, secrets', routes: tables.people },
    { title: 'Workflows', routes: tables.workflows },
    { title: 'Executions', routes: tables.executions },
    { title: 'Files', routes: tables.files },
    { title: 'Nodes', routes: tables.nodes },
    { title: 'Health', routes: tables.health },
  ]);
  await expect(page).toMatchFileSnapshot('../../../docs/reference/rest.md');
});

it('every table is on the page', () => {
  const files = readdirSync(import.meta.dirname)
    .filter((file) => file.startsWith('routes-') && !file.endsWith('.test.ts'))
    .map((file) => file.replace('routes-', '').replace('.ts', ''));
  expect(files.sort()).toEqual(Object.keys(tables).sort());
});
