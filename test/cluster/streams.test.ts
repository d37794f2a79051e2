import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAgentWorkflow } from '../support/ai/agent-workflow.ts';
import { startModelServer, type ModelServer } from '../support/ai/model-server.ts';
import { applyTexts, createGate } from '../support/ai/streams.ts';
import { readEvents, type StreamedEvent } from '../support/servers/event-stream.ts';
import { adminEmail, adminPassword, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const PATH = 'agent[0]/chat';
const TEXT = 'one two three four five six seven eight nine ten.';

describe.skipIf(!canScale)('the stream of an execution on several processes', () => {
  const gate = createGate();
  let cluster: Cluster;
  let models: ModelServer;
  let apis: SpawnedService[];
  let worker: SpawnedService;
  beforeAll(async () => {
    models = await startModelServer(() => ({ text: TEXT }), { pace: gate.pace });
    cluster = await startCluster();
    const first = await cluster.start('api');
    apis = [first, await cluster.start('api')];
    worker = await cluster.start('worker');
  });
  afterAll(async () => {
    await cluster.close();
    await models.close();
  });

  test('a client follows at any process, in the middle of a text, also when the worker is killed', async () => {
    const [first, second] = apis as [SpawnedService, SpawnedService];
    const call = await first.login();
    const login = await first.call('POST', '/auth/login', {
      body: { email: adminEmail, password: adminPassword },
    });
    const { token } = login.body as { token: string };
    const definition = createAgentWorkflow(models, { tools: [], llm: { stream: true } });
    const created = await call('POST', '/workflows', { body: { name: 'x', definition } });
    const started = await call('POST', `/workflows/${(created.body as { id: string }).id}/execute`, {
      body: { input: { message: 'write' } },
    });
    const { id } = started.body as { id: string };
    const seen: StreamedEvent[] = [];
    const follow = async (api: SpawnedService, word: string): Promise<void> => {
      const before = [...seen];
      const last = before.at(-1)?.id;
      await readEvents(`${api.url}/executions/${id}/stream`, {
        headers: {
          authorization: `Bearer ${token}`,
          ...(typeof last === 'string' ? { 'last-event-id': last } : {}),
        },
        enough(events) {
          seen.splice(0, seen.length, ...before, ...events);
          return applyTexts(seen)[PATH]?.includes(word) === true;
        },
      });
    };
    let words = 0;
    let allowed = 4;
    const write = setInterval(() => {
      if (words >= allowed || !gate.isWaiting()) return;
      words++;
      gate.release(true);
    }, 20);
    try {
      // The model does not complete, so the text comes from the worker.
      await follow(first, 'two');
      allowed = 7;
      await follow(second, 'four');
      expect(seen.map(({ event }) => event)).not.toContain('reset');
      expect(applyTexts(seen), JSON.stringify(seen)).toEqual({
        [PATH]: expect.stringMatching(/four(?!.*ten)/) as string,
      });
      await worker.kill9();
      allowed = Infinity;
      worker = await cluster.start('worker');
      await follow(first, 'nothing that it says');
    } finally {
      clearInterval(write);
    }
    expect(seen.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
    expect(applyTexts(seen)).toEqual({ [PATH]: TEXT });
    expect(models.chats).toHaveLength(2);
  });
});
