import { Type } from 'typebox';
import { expect, it } from 'vitest';
import type { Route } from './route.ts';
import { checkRoutes } from './route-check.ts';
import { routeGroups } from './routes.ts';

const completeRoute: Route = {
  method: 'GET',
  path: '/things',
  operation: 'listThings',
  status: 200,
  scope: 'public',
  summary: 'List the things',
  response: Type.Object({}),
  handle: () => ({}),
};

it('accepts all routes', () => {
  expect(() => checkRoutes(routeGroups({} as never).flatMap((group) => group.routes))).not.toThrow();
});

it.each([
  [{ scope: undefined }, 'must declare a scope'],
  [{ scope: 'workflows:read ' }, 'must declare a scope'],
  [{ operation: undefined }, 'must declare an operation'],
  [{ operation: 'List things' }, 'must declare an operation'],
  [{ status: 204 }, 'must declare the status'],
  [{ response: undefined }, 'must declare a response'],
  [{ summary: ' ' }, 'must declare a summary'],
  [{ query: Type.String() }, 'must declare a query with named parameters'],
])('rejects a route with %o', (change, problem) => {
  expect(() => checkRoutes([{ ...completeRoute, ...change } as Route])).toThrow(
    `The route GET /things ${problem}`,
  );
});

it('rejects a repeated operation', () => {
  expect(() => checkRoutes([completeRoute, { ...completeRoute, path: '/other' }])).toThrow(
    'The route GET /other must not have the same operation listThings as GET /things.',
  );
});
