import { expect, test } from 'vitest';
import { createTestClock } from '../../../../test/support/time/clock.ts';
import { createInProcessBuses } from '../../../coordination/in-process/bus.ts';
import { createInProcessEvents } from '../../../coordination/in-process/events.ts';
import { createLiveTexts } from '../../../coordination/live-texts.ts';
import type { ExecutionStreamEvent } from '../../../engine/engine-api.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import { createJsonRedactor } from '../../credentials/redaction.ts';
import { createExecutionStreams } from './execution-streams.ts';
import type { StreamedEvent } from './streamed-event.ts';
import { readStreamPosition } from './stream-position.ts';

const row = { id: 'ex_1', ownerId: 'usr_1', status: 'running' } as ExecutionRow;
const node = { id: 'chat', path: 'chat' };

function rethrow(error: unknown): never {
  throw error;
}

function setUp() {
  const clock = createTestClock(0);
  const events = createInProcessEvents(rethrow);
  const liveTexts = createLiveTexts(createInProcessBuses(rethrow).join(), clock);
  const journal: ExecutionStreamEvent[] = [];
  let reads = 0;
  const streams = createExecutionStreams({
    executions: { get: () => Promise.resolve(row) },
    events,
    clock,
    liveTexts,
    decisions: { findByRun: () => Promise.resolve(null) },
    loadRedactor: () => Promise.resolve(createJsonRedactor(['hunter2-secret'])),
    engine: {
      stream() {
        let from = 0;
        return Promise.resolve({
          next() {
            reads++;
            const entries = journal.slice(from);
            from = journal.length;
            return Promise.resolve({ entries, isWhole: true });
          },
        });
      },
    },
  });
  return {
    clock,
    liveTexts,
    streams,
    countReads: () => reads,
    commit: async (...added: ExecutionStreamEvent['event'][]): Promise<void> => {
      for (const event of added)
        journal.push({ id: `${journal.length + 1}.0`, at: 0, node, event } as ExecutionStreamEvent);
      events.publish({ kind: 'log', ownerId: row.ownerId, executionId: row.id, entries: [] });
      await clock.advance(10_000);
    },
    connect: async (lastEventId?: string) => {
      const received: StreamedEvent[] = [];
      let close = (): void => {};
      let isClosed = false;
      const follow = await streams.open(row, readStreamPosition(lastEventId));
      const ended = follow({
        event: (event) => void received.push(event),
        ready: () => Promise.resolve(),
        isClosed: () => isClosed,
        onClose: (run) => (close = run),
      });
      await clock.advance(10_000);
      return {
        received,
        text: () => received.map(({ event }) => (event.type === 'text' ? event.text : '')).join(''),
        async close(): Promise<void> {
          isClosed = true;
          close();
          await ended;
        },
      };
    },
  };
}

const usage: ExecutionStreamEvent['event'] = {
  type: 'usage',
  model: 'm',
  finish_reason: 'stop',
  usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1, reasoning_tokens: 0 },
  cost: null,
};

test('the journal is read once for all clients that have the same of it', async () => {
  const { connect, commit, countReads, liveTexts } = setUp();
  await commit({ type: 'started' });
  const writer = liveTexts.open(row.id, 'chat');
  writer.begin();
  writer.write({ kind: 'text' }, 'one two three ');
  const clients = [await connect()];
  writer.write({ kind: 'text' }, 'four five ');
  for (let i = 0; i < 4; i++) clients.push(await connect());
  // Continues in the middle of the text.
  clients.push(await connect(clients[0]!.received[0]!.id));
  const before = countReads();
  await commit({ type: 'text', text: 'one two three four five six' }, usage);
  const alone = setUp();
  await alone.commit({ type: 'started' });
  await alone.connect();
  const aloneBefore = alone.countReads();
  await alone.commit({ type: 'text', text: 'one two three four five six' }, usage);
  expect(countReads() - before).toBe(alone.countReads() - aloneBefore);
  for (const client of clients.slice(0, 5)) expect(client.text()).toBe('one two three four five six');
  expect(clients[5]!.text()).toBe('ee four five six');
  for (const { received } of clients) {
    expect(received.filter(({ event }) => event.type === 'usage')).toHaveLength(1);
    expect(received.map(({ event }) => event.type)).not.toContain('reset');
    expect(received.at(-1)!.id).toBe('3.0');
  }
  // The client whose reads are shared leaves, the others continue.
  await clients[0]!.close();
  await commit(usage);
  for (const { received } of clients.slice(1)) expect(received.at(-1)!.id).toBe('4.0');
  expect(clients[0]!.received.at(-1)!.id).toBe('3.0');
  for (const client of clients.slice(1)) await client.close();
});

test('a client whose position the stream does not have is refused', async () => {
  const { connect, commit } = setUp();
  await commit({ type: 'started' }, usage);
  await expect(connect('3.0')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { field: 'Last-Event-ID' },
  });
  await (await connect('2.0')).close();
});
