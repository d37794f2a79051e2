import type { Route } from '../../src/api/rest/route.ts';
import type { Answer, Call } from '../harness/service.ts';
import type { Things } from './things.ts';

/** The path of a row with these things in its parameters. Throws for a kind of thing that it does not know: teach it. */
export function pathOf(route: Route, things: Things): string {
  const kind = route.path.split('/')[1] ?? '';
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'version') return '1';
    const thing = things[kind];
    if (thing === undefined) throw new Error(`No thing is known for {${name}} of ${route.path}.`);
    return encodeURIComponent(thing);
  });
}

/** Calls a row with nothing but what its path needs: enough to be asked who is calling, never enough to change anything. */
export function callRow(call: Call, route: Route, things: Things): Promise<Answer> {
  return call(route.method, pathOf(route, things), route.body === undefined ? {} : { body: {} });
}

export function isOfAThing(route: Route): boolean {
  return route.path.includes('{');
}
