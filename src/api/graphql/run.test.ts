import { GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
import { limits } from '../../ports/limits.ts';
import type { RequestContext } from './request-context.ts';
import { createDocuments } from './documents.ts';
import { createRunner, createTimeBudget, readRequest, type FormattedResponse } from './run.ts';

const field = (resolve: () => unknown) => ({ type: GraphQLString, resolve: async () => resolve() });
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      fine: field(() => 'fine'),
      never: field(() => new Promise(() => {})),
      broken: field(() => {
        throw new TypeError('/etc/secret of line 3');
      }),
      refused: field(() => {
        throw new WeftError('CONFLICT', 'Not now.', { field: 'x' });
      }),
      nothing: { type: new GraphQLNonNull(GraphQLInt), resolve: async () => null },
    },
  }),
});

let clock: ManualClock;
let errors: unknown[];

async function ask(query: string): Promise<FormattedResponse> {
  const documents = createDocuments({ schema, publicFields: new Set(), introspection: true });
  const runner = createRunner({
    schema,
    introspection: true,
    clock,
    onError: (error) => void errors.push(error),
  });
  errors = [];
  const operation = documents.prepare(query, null);
  const running = runner.run(operation, runner.check(operation, {}), {} as RequestContext);
  if (query.includes('never')) clock.advance(limits.graphqlTimeMs);
  return running;
}

beforeEach(() => {
  clock = new ManualClock();
  errors = [];
});

describe('running an operation', () => {
  test('a query over the time limit gets an error', async () => {
    const { data, errors } = await ask('{ fine never }');
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', details: { reason: 'capacity', limit: limits.graphqlTimeMs } } },
    ]);
  });

  test('an error of a service is returned unchanged with its path', async () => {
    expect(await ask('{ fine a: refused }')).toEqual({
      data: { fine: 'fine', a: null },
      errors: [
        {
          message: 'Not now.',
          locations: [{ line: 1, column: 8 }],
          path: ['a'],
          extensions: { code: 'CONFLICT', details: { field: 'x' } },
        },
      ],
    });
    expect(errors).toEqual([]);
  });

  test('an internal error exposes no details and is reported', async () => {
    const response = await ask('{ fine broken }');
    expect(response).toMatchObject({
      data: { fine: 'fine', broken: null },
      errors: [{ path: ['broken'], extensions: { code: 'INTERNAL_ERROR', details: {} } }],
    });
    expect(JSON.stringify(response)).not.toMatch(/secret|stack|TypeError/);
    expect(errors).toMatchObject([{ message: '/etc/secret of line 3' }]);
    expect(await ask('{ fine nothing }')).toMatchObject({
      data: null,
      errors: [{ path: ['nothing'], extensions: { code: 'INTERNAL_ERROR' } }],
    });
    expect(errors).toHaveLength(1);
  });
});

describe('the time limit of a mutation', () => {
  test('is checked before each step, without exempt waiting time', async () => {
    let now = 0;
    const time = createTimeBudget(() => now);
    time.requireTime();
    await time.runUntimed(async () => void (now += 60_000));
    time.requireTime();
    now += limits.graphqlTimeMs;
    time.requireTime();
    now += 1;
    expect(() => time.requireTime()).toThrow('took longer');
  });
});

describe('the parameters of a request', () => {
  test.each([
    [[{ query: '{ fine }' }], 'body'],
    ['{ fine }', 'body'],
    [null, 'body'],
    [{}, 'query'],
    [{ query: 1 }, 'query'],
    [{ query: '{ fine }', variables: 'x' }, 'variables'],
    [{ query: '{ fine }', operationName: 1 }, 'operationName'],
    [{ query: '{ fine }', extensions: [] }, 'extensions'],
  ])('%j: %s', (body, wrong) => {
    expect(() => readRequest(body)).toThrow(wrong);
  });
});
