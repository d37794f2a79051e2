import type { JsonObject } from '../../lib/json/json.ts';

/** Headers of answers, by the name of their component: when they are there, and what they say. */
export const headerComponents: JsonObject = {
  'X-Request-Id': {
    description: 'The id of this request; the lines of the log that belong to it have the same.',
    required: true,
    schema: { type: 'string', examples: ['req_01kjqvk3d8f0ws'] },
  },
  'Weft-Version': {
    description: 'The version of the service.',
    required: true,
    schema: { type: 'string', examples: ['0.1.0'] },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the plan allows in the window. Left out for an unlimited plan.',
    schema: { type: 'integer', minimum: 0, examples: [1000] },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the window.',
    schema: { type: 'integer', minimum: 0, examples: [997] },
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in Unix seconds.',
    schema: { type: 'integer', minimum: 0, examples: [1_772_445_600] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
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

/** The headers of an answer of this status. `isGuarded`: a credential was looked at, so the plan's limit is known. */
export function headersOf(status: number, isGuarded: boolean): JsonObject {
  const names = [
    ...always,
    ...(isGuarded && status !== 401 ? ofPlan : []),
    ...(status === 429 ? ['Retry-After'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
