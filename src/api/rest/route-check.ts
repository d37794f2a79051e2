import { isScope } from '../../contract/scopes.ts';
import type { Route } from './route.ts';

/**
 * Throws when a row says less than the documents and the permission matrix need: a row without a scope, an answer or an
 * operation of its own does not start.
 */
export function checkRoutes(routes: readonly Route[]): void {
  const operations = new Map<string, string>();
  for (const route of routes) {
    const row = `${route.method} ${route.path}`;
    const refuse = (fault: string): never => {
      throw new Error(`The route ${row} ${fault}.`);
    };
    const { scope, operation, answer, status, summary, query } = route as Partial<Route>;
    if (scope !== 'public' && scope !== 'session' && scope !== 'any' && !isScope(scope ?? ''))
      refuse('declares no scope');
    if (!/^[a-z][A-Za-z0-9]*$/.test(operation ?? '')) refuse('declares no operation in camelCase');
    const other = operations.get(operation!);
    if (other !== undefined) refuse(`has the operation ${operation} of ${other}`);
    operations.set(operation!, row);
    if (status !== 200 && status !== 201) refuse('declares no status of success');
    if (answer !== 'bytes' && (typeof answer !== 'object' || answer === null)) refuse('declares no answer');
    if (!/\S/.test(summary ?? '')) refuse('declares no summary');
    if (query !== undefined && !('properties' in query)) refuse('declares a query without names');
  }
}
