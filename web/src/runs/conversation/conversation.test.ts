import type { NodeRun } from 'weft-client';
import { describe, expect, test } from 'vitest';
import { readConversations } from './conversation.ts';

const run = (path: string, more: Partial<NodeRun> = {}): NodeRun => ({
  node_id: path.slice(path.lastIndexOf('/') + 1),
  path,
  type: 'http_request',
  status: 'completed',
  attempt: 1,
  start_time: '2026-01-01T00:00:00.000Z',
  end_time: null,
  duration: 5,
  input: null,
  output: null,
  output_ports: [],
  error: null,
  ...more,
});
const agent = run('agent', { type: 'agent', status: 'running' });
const toolCall = (id: string, args: unknown) => ({ type: 'tool_call', id, name: 'look', arguments: args });
const turn = (number: number, content: unknown[], messages: unknown[] = []): NodeRun =>
  run(`agent[${number}]/chat`, {
    type: 'llm',
    input: { messages: [{ role: 'user', content: 'Hello' }, ...messages] },
    output: { content, usage: { input_tokens: 10, output_tokens: 2 }, cost: 0.5 },
  });

describe('conversations', () => {
  test('join turns, calls and results in order', () => {
    const [found] = readConversations([
      agent,
      turn(10, [{ type: 'text', text: 'x' }]),
      turn(9, [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'I look.' },
        toolCall('a', { n: 1 }),
      ]),
      run('agent[9.0]/look', { output: { seen: 1 } }),
    ]);
    expect(found).toMatchObject({ prompt: 'Hello', tokens: 24, cost: 1 });
    expect(found?.turns.map(({ number, text }) => [number, text])).toEqual([
      [9, 'I look.'],
      [10, 'x'],
    ]);
    expect(found?.turns[0]?.calls).toEqual([
      {
        name: 'look',
        arguments: { n: 1 },
        runs: [expect.objectContaining({ path: 'agent[9.0]/look' })],
        status: 'completed',
        result: { seen: 1 },
      },
    ]);
  });

  test('show a call that did not run, one that failed, and one that waits for an approval', () => {
    const results = {
      role: 'tool',
      content: [
        { type: 'tool_result', id: 'a', name: 'look', result: { error: 'n: is required.' }, is_error: true },
        { type: 'tool_result', id: 'b', name: 'look', result: { error: 'It failed.' }, is_error: true },
      ],
    };
    const [found] = readConversations([
      agent,
      turn(0, [toolCall('a', {}), toolCall('b', { n: 1 })]),
      run('agent[0.1]/look', { status: 'failed' }),
      turn(1, [toolCall('c', { n: 2 })], [results]),
      run('agent[1.0.approval]/ask', { type: 'approval', status: 'waiting' }),
    ]);
    expect(found?.turns.flatMap(({ calls }) => calls.map(({ status, result }) => [status, result]))).toEqual([
      ['refused', { error: 'n: is required.' }],
      ['failed', { error: 'It failed.' }],
      ['waiting', undefined],
    ]);
  });

  test('are separate for each run of an agent, and have no cost without a price', () => {
    const [first, second] = readConversations([
      run('loop[0]/agent', { type: 'agent' }),
      run('loop[0]/agent[0]/chat', {
        output: { text: 'a', usage: { input_tokens: 1, output_tokens: 1 }, cost: null },
      }),
      run('loop[1]/agent', { type: 'agent' }),
      run('loop[1]/agent[0]/chat', { status: 'running' }),
    ]);
    expect(first).toMatchObject({ tokens: 2, cost: null, turns: [{ text: 'a', calls: [] }] });
    expect(second).toMatchObject({ tokens: 0, turns: [{ text: '', tokens: null }] });
    expect(readConversations([run('http')])).toEqual([]);
  });
});
