import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../../support/service.ts';
import { manual } from '../definitions.ts';

const folder = createTempFolder();
let service: SpawnedService | null = null;
afterAll(async () => {
  await service?.stop();
  folder.remove();
});

test('the message of a decision that an earlier version asked for is shown as the plain text that it was', async () => {
  service = await spawnService({ dataDir: folder.path });
  const call = await service.login();
  const definition = {
    nodes: [
      manual,
      { id: 'ask', type: 'approval', config: { title: 'x', message: '*A* [chair](https://a.example)' } },
    ],
    connections: [{ from: 'start', to: 'ask' }],
  };
  const made = await call('POST', '/workflows', { body: { name: 'Ask', definition } });
  await call('POST', `/workflows/${(made.body as { id: string }).id}/execute`, { body: {} });
  type List = { decisions: { id: string; message: string; attachments: object[] }[] };
  const [found] = await waitUntil(
    async () => ((await call('GET', '/decisions')).body as List).decisions,
    (all) => all.length === 1,
  );
  expect(found!.message).toBe('*A* [chair](https://a.example)');
  await service.stop();

  const database = new Database(path.join(folder.path, 'weft.db'));
  const row = database.prepare('SELECT id, request FROM decisions').get() as { id: string; request: string };
  const { format, attachments, ...earlier } = JSON.parse(row.request) as Record<string, unknown>;
  expect([format, attachments]).toEqual(['markdown', []]);
  database.prepare('UPDATE decisions SET request = ? WHERE id = ?').run(JSON.stringify(earlier), row.id);
  database.close();

  service = await spawnService({ dataDir: folder.path });
  const again = await service.login();
  const { body } = await again('GET', `/decisions/${found!.id}`);
  expect(body).toMatchObject({ message: '\\*A\\* \\[chair\\](https://a.example)', attachments: [] });
});
