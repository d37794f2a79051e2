import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ErrorBodyResource } from '../src/contract/resources/resource-error.ts';
import { StreamEventResource } from '../src/contract/resources/stream.ts';
import { serverMessages } from '../src/contract/requests/websocket.ts';
import { routeGroups } from '../src/api/rest/routes.ts';
import { generateClientReference, generateClient, buildMethodPath } from './client-operations.ts';
import type { Schema } from './client-types.ts';

/** The table is read without services, which only requests use. */
const routes = routeGroups({} as never).flatMap((group) => group.routes);
const events = [
  ...[serverMessages.execution_update, serverMessages.notification, serverMessages.decision].map(
    (message) => message.properties.data,
  ),
  StreamEventResource,
];

it('sdk/src/generated is up to date; regenerate it with: npm test -- scripts/client-source.test.ts -u', async () => {
  const { types, operations } = generateClient(routes, ErrorBodyResource as Schema, events as Schema[]);
  await expect(types).toMatchFileSnapshot('../sdk/src/generated/types.ts');
  await expect(operations).toMatchFileSnapshot('../sdk/src/generated/operations.ts');
});

it('docs/client.md is up to date; regenerate it with: npm test -- scripts/client-source.test.ts -u', async () => {
  const page = readFileSync(new URL('../docs/client.md', import.meta.url), 'utf8');
  const marks = /(<!-- methods -->\n)[\s\S]*(<!-- end of methods -->)/;
  expect(page).toMatch(marks);
  const fresh = page.replace(
    marks,
    (_all, begin: string, end: string) => `${begin}\n${generateClientReference(routes)}\n${end}`,
  );
  await expect(fresh).toMatchFileSnapshot('../docs/client.md');
});

it.each([
  ['GET', '/workflows', 'listWorkflows', 'workflows.list'],
  ['DELETE', '/api-keys/{id}', 'deleteApiKey', 'apiKeys.delete'],
  ['POST', '/executions/{id}/stop', 'stopExecution', 'executions.stop'],
  [
    'POST',
    '/workflows/{id}/versions/{version}/restore',
    'restoreWorkflowVersion',
    'workflows.versions.restore',
  ],
  ['GET', '/workflows/{id}/executions', 'listWorkflowExecutions', 'workflows.executions.list'],
  ['GET', '/users/me', 'getCurrentUser', 'users.me'],
  ['POST', '/auth/refresh', 'refreshSession', 'auth.refresh'],
] as const)('%s %s is %s', (method, path, operation, name) => {
  expect(buildMethodPath({ method, path, operation }).join('.')).toBe(name);
});
