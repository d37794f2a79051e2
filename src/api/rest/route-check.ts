import { isScope } from '../../contract/scopes.ts';
import type { Route } from './route.ts';

/** Throws when a route lacks a property that the documentation or the permission tests require. */
export function checkRoutes(routes: readonly Route[]): void {
  const operations = new Map<string, string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const fail = (problem: string): never => {
      throw new Error(`The route ${name} ${problem}.`);
    };
    const { scope, operation, response, status, summary, query } = route as Partial<Route>;
    if (scope !== 'public' && scope !== 'session' && scope !== 'any' && !isScope(scope ?? ''))
      fail('must declare a scope');
    if (!/^[a-z][A-Za-z0-9]*$/.test(operation ?? '')) fail('must declare an operation in camelCase');
    const other = operations.get(operation!);
    if (other !== undefined) fail(`must not have the same operation ${operation} as ${other}`);
    operations.set(operation!, name);
    if (status !== 200 && status !== 201) fail('must declare the status 200 or 201');
    const isStream = response === 'events' && route.events !== undefined;
    if (response !== 'bytes' && !isStream && (typeof response !== 'object' || response === null))
      fail('must declare a response');
    if (!/\S/.test(summary ?? '')) fail('must declare a summary');
    if (query !== undefined && !('properties' in query)) fail('must declare a query with named parameters');
  }
}
