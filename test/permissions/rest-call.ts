import type { Route } from '../../src/api/rest/route.ts';
import type { ApiResponse, Call } from '../support/service.ts';
import { callGraphql } from '../parity/request.ts';
import { operations } from '../parity/operations.ts';
import type { ResourceIds } from './resource-ids.ts';
import type { Headers } from '../support/service-with-accounts.ts';

/**
 * The path of a row with these ids as parameters. Throws for an unknown type of resource, which must be added
 * here.
 */
export function fillPath(route: Route, things: ResourceIds): string {
  const kind = route.path.split('/')[1] ?? '';
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'version') return '1';
    const thing = things[kind];
    if (thing === undefined) throw new Error(`No thing is known for {${name}} of ${route.path}.`);
    return encodeURIComponent(thing);
  });
}

/** Calls a row with only its path parameters: enough for authentication, but not for a change. */
export function callRow(call: Call, route: Route, things: ResourceIds): Promise<ApiResponse> {
  return call(route.method, fillPath(route, things), route.body === undefined ? {} : { body: {} });
}

export function hasResourceId(route: Route): boolean {
  return route.path.includes('{');
}

/** The same call through GraphQL; null for a row that GraphQL has in another form. */
export async function callField(
  url: string,
  headers: Headers,
  route: Route,
  things: ResourceIds,
): Promise<{ status: number; error?: { code: string; details: unknown } } | null> {
  const asked = operations[route.operation];
  if (asked === undefined) return null;
  const thing = things[route.path.split('/')[1] ?? ''] ?? '';
  const params = { id: thing, name: thing, version: '1', node_id: 'start' };
  const body = bodies[route.operation] ?? {};
  return callGraphql(url, route, asked, { params, ...(route.body !== undefined && { body }) }, headers);
}

/** Inputs where GraphQL requires more than an empty one. */
const bodies: Readonly<Record<string, object>> = {
  createWorkflow: { name: '' },
  respondToDecision: { choice: 'approved' },
};
