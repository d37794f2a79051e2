import fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { createNotFoundError, WeftError } from '../../contract/errors.ts';
import type { FollowChatOptions } from '../../services/chat/chat.service.ts';
import { createEventStreams } from '../http/event-stream.ts';
import { chatPlugin, type ChatPluginOptions } from './plugin.ts';

const EXECUTION = 'ex_1';
let follow = (_options: FollowChatOptions): Promise<unknown> => Promise.resolve(null);
let starts = 0;

const clock = { now: () => 0, after: () => () => {} };
let refusal: WeftError | null = null;
const streams = { ...createEventStreams(clock as never), findRefusal: () => refusal };
const app = fastify();
app.register((scope, _options, done) => {
  scope.decorateRequest('principal', null);
  chatPlugin({
    admission: {
      admit: () => Promise.resolve({ principal: { userId: 'usr_1' }, rate: null }),
      count: () => null,
    },
    credentials: { watch: () => () => {} },
    clock,
    chat: {
      start(_principal: unknown, { stream }: { stream: boolean }) {
        starts++;
        return Promise.resolve({ executionId: EXECUTION, model: 'm', createdAt: 0, isStreamed: stream });
      },
      follow: (_principal: unknown, _started: unknown, options: FollowChatOptions) => follow(options),
    },
  } as unknown as ChatPluginOptions)(scope, streams);
  done();
});
afterAll(() => app.close());

const post = (stream: boolean) =>
  app.inject({ method: 'POST', url: '/v1/chat/completions', payload: { stream } });

test.each([
  ['the store', new WeftError('STORAGE_UNAVAILABLE'), 'was started, but could not be read'],
  ['the service', new Error('x'), 'was started, but could not be read'],
  ['a missing execution', createNotFoundError('execution'), 'does not exist'],
])(
  'an error of %s after the start is not repeated by clients, and names the execution',
  async (_, error, text) => {
    follow = () => Promise.reject(error);
    const response = await post(false);
    expect(response.statusCode).toBe(422);
    expect(response.headers['x-should-retry']).toBe('false');
    expect(response.headers['x-weft-execution-id']).toBe(EXECUTION);
    expect(response.json<{ error: { message: string; type: string } }>().error).toMatchObject({
      message: expect.stringContaining(text) as string,
      type: 'execution_error',
    });
    const streamed = await post(true);
    expect(streamed.payload).toContain(text);
    expect(streamed.payload).not.toContain('[DONE]');
  },
);

test('too many streams are refused before an execution starts', async () => {
  refusal = new WeftError('RATE_LIMITED', 'Too many event streams are open.', { retry_after: 5 });
  follow = () => Promise.reject(createNotFoundError('execution'));
  const before = starts;
  const refused = await post(true);
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
  expect(starts).toBe(before);
  // A request without a stream takes no place of one.
  expect((await post(false)).statusCode).toBe(422);
});
