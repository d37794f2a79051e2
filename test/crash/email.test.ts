import { afterEach, expect, test } from 'vitest';
import { parseHeaders, startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../support/service.ts';

const folder = createTempFolder();
let mails: TestMailServer | null = null;
let service: SpawnedService | null = null;

afterEach(async () => {
  await service?.kill9();
  await mails?.close();
  folder.remove();
});

test('killed before the server replied: the mail is sent again with the same Message-ID, and only this node runs again', async () => {
  const raws: string[] = [];
  let isAnswering = false;
  mails = await startMailServer({
    onData(stream, _session, done) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString('latin1')));
      stream.on('end', () => {
        raws.push(raw);
        if (isAnswering) done();
      });
    },
  });
  service = await spawnService({ dataDir: folder.path });
  let call = await service.login();
  const value = `smtp://127.0.0.1:${mails.port}`;
  expect((await call('PUT', '/secrets/MAIL', { body: { value } })).status).toBe(200);
  const created = await call('POST', '/workflows', {
    body: {
      name: 'Mail',
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
          {
            id: 'mail',
            type: 'email',
            config: {
              service: 'smtp',
              operation: 'send',
              credentials: '{{ secrets.MAIL }}',
              template: { from: 'a@example.com', to: '{{ input.to }}', subject: 'Once', text: 'Hello' },
            },
          },
        ],
        connections: [{ from: 'start', to: 'mail' }],
      },
    },
  });
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  const started = await call('POST', `/workflows/${id}/execute`, {
    body: { input: { to: 'b@example.com' } },
  });
  expect(started.status, started.text).toBe(201);
  await waitUntil(
    () => Promise.resolve(raws.length),
    (n) => n === 1,
  );
  await service.kill9();

  isAnswering = true;
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
  const path = `/executions/${(started.body as { id: string }).id}`;
  const ended = await waitUntil(
    async () => (await call('GET', path)).body as { status: string; output: unknown },
    ({ status }) => status === 'completed',
  );
  const ids = raws.map((raw) => parseHeaders(raw).get('message-id'));
  expect(ids).toHaveLength(2);
  expect(ids[0]).toBe(ids[1]);
  expect(ended.output).toEqual({ message_id: ids[0], accepted: ['b@example.com'], rejected: [] });
});
