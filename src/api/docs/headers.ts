import type { JsonObject } from '../../lib/json/json.ts';

/** Headers of responses, by the name of their component. */
export const headerComponents: JsonObject = {
  'X-Request-Id': {
    description: 'The id of this request, which its log lines contain.',
    required: true,
    schema: { type: 'string', examples: ['req_01kjqvk3d8f0ws'] },
  },
  'Weft-Version': {
    description: 'The version of the service.',
    required: true,
    schema: { type: 'string', examples: ['0.1.0'] },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the plan allows in the window. Absent for unlimited plans.',
    schema: { type: 'integer', minimum: 0, examples: [1000] },
  },
  'X-RateLimit-Remaining': {
    description: 'Remaining requests in the window.',
    schema: { type: 'integer', minimum: 0, examples: [997] },
  },
  'X-RateLimit-Reset': {
    description: 'The end of the window, in Unix seconds.',
    schema: { type: 'integer', minimum: 0, examples: [1_772_445_600] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', minimum: 0, examples: [2] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', examples: ['Bearer realm="weft"'] },
  },
};

const always = ['X-Request-Id', 'Weft-Version'];
const ofPlan = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/**
 * The headers of a response with this status. `isGuarded`: the route requires a credential, so the plan limit
 * is known.
 */
export function describeHeaders(status: number, isGuarded: boolean): JsonObject {
  const names = [
    ...always,
    ...(isGuarded && status !== 401 ? ofPlan : []),
    ...(status === 429 ? ['Retry-After'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
