import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const TURNS = 1_000;
/** Characters of each response and of each tool result. */
const LENGTH = 500;

const service = useService();
let models: ModelServer;
let previous = 0;
const turnTimes: number[] = [];
beforeAll(async () => {
  models = await startModelServer((_request, turn) => {
    const now = performance.now();
    if (previous !== 0) turnTimes.push(now - previous);
    previous = now;
    const text = `${turn} `.padEnd(LENGTH, 'x');
    return turn === TURNS - 1 ? { text } : { text, calls: [{ name: 'look', arguments: { turn } }] };
  });
  return () => models.close();
});

/** Bytes of the journal of a stopped service. */
function measureJournal(): number {
  const db = new Database(path.join(service.folder.path, 'weft.db'), { readonly: true });
  try {
    const { n } = db.prepare('SELECT sum(length(events)) AS n FROM journal').get() as { n: number };
    return n;
  } finally {
    db.close();
  }
}

test(`a conversation of ${TURNS} turns is stored once`, { timeout: 320_000 }, async () => {
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      {
        id: 'agent',
        type: 'agent',
        config: {
          prompt: 'x',
          model: ['chat'],
          tools: [
            {
              name: 'look',
              description: 'x',
              parameters: { type: 'object', properties: { turn: { type: 'integer' } } },
              nodes: ['look'],
            },
          ],
          maxTurns: TURNS,
        },
      },
      {
        id: 'chat',
        type: 'llm',
        config: { provider: 'openai_compatible', baseUrl: models.url, model: 'test' },
      },
      { id: 'look', type: 'set', config: { fields: { seen: 'y'.repeat(LENGTH) } } },
    ],
    connections: [{ from: 'start', to: 'agent' }],
  };
  const created = await service.api('POST', '/workflows', { body: { name: 'Long', definition } });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  const started = await service.api('POST', `/workflows/${id}/execute`, { body: { input: {} } });
  expect(started.status, started.text).toBe(201);
  await waitUntil(
    async () =>
      (
        (await service.api('GET', `/workflows/${id}/executions`)).body as {
          executions: { status: string }[];
        }
      ).executions[0]?.status,
    (status) => status !== 'running',
    300_000,
  );
  const shown = await service.api('GET', `/executions/${(started.body as { id: string }).id}`);
  expect((shown.body as { status: string }).status, shown.text.slice(0, 500)).toBe('completed');
  await service.weft.stop();
  const stored = measureJournal();
  const messages = JSON.stringify(models.chats.at(-1)?.messages).length;
  const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  console.log(
    `transcript: ${messages} bytes of messages, ${stored} bytes stored, ` +
      `turn ${median(turnTimes.slice(0, 50)).toFixed(1)} ms at first, ${median(turnTimes.slice(-50)).toFixed(1)} ms at the end`,
  );
  expect(stored).toBeLessThan(1.5 * messages);
});
