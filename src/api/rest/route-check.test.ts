import { Type } from 'typebox';
import { expect, it } from 'vitest';
import type { Route } from './route.ts';
import { checkRoutes } from './route-check.ts';
import { routeGroups } from './routes.ts';

const whole: Route = {
  method: 'GET',
  path: '/things',
  operation: 'listThings',
  status: 200,
  scope: 'public',
  summary: 'List the things',
  answer: Type.Object({}),
  handle: () => ({}),
};

it('the whole table passes', () => {
  expect(() => checkRoutes(routeGroups({} as never).flatMap((group) => group.routes))).not.toThrow();
});

it.each([
  [{ scope: undefined }, 'declares no scope'],
  [{ scope: 'workflows:read ' }, 'declares no scope'],
  [{ operation: undefined }, 'declares no operation'],
  [{ operation: 'List things' }, 'declares no operation'],
  [{ status: 204 }, 'declares no status'],
  [{ answer: undefined }, 'declares no answer'],
  [{ summary: ' ' }, 'declares no summary'],
  [{ query: Type.String() }, 'declares a query without names'],
])('%o does not start', (change, fault) => {
  expect(() => checkRoutes([{ ...whole, ...change } as Route])).toThrow(`The route GET /things ${fault}`);
});

it('an operation is the name of one row', () => {
  expect(() => checkRoutes([whole, { ...whole, path: '/other' }])).toThrow(
    'The route GET /other has the operation listThings of GET /things.',
  );
});
