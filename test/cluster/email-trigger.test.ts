import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMessage } from '../support/mailbox-fixture.ts';
import { imapProgram, startImapServer, type ImapServer } from '../support/servers/imap-server.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const ROUNDS = 4;
const MAILS_PER_ROUND = 15;

describe.skipIf(!canScale || imapProgram === null)('an email trigger with several workers', () => {
  let cluster: Cluster;
  let imap: ImapServer;
  beforeAll(async () => {
    imap = await startImapServer();
    cluster = await startCluster({ NODE_EXTRA_CA_CERTS: imap.caFile });
  });
  afterAll(async () => {
    await Promise.all([cluster.close(), imap.stop()]);
  });

  test('each message starts once while workers are killed in turn', async () => {
    const api = await cluster.start('api');
    const workers = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
    const call = await api.login();
    const secret = await call('PUT', '/secrets/MAIL', { body: { value: imap.password } });
    expect(secret.status, secret.text).toBe(200);
    const config = {
      triggerType: 'email',
      host: '127.0.0.1',
      port: imap.port,
      user: imap.user,
      password: '{{ secrets.MAIL }}',
      interval: '1s',
      first: 'take',
      move_to: 'Archive',
    };
    const definition = { nodes: [{ id: 'inbox', type: 'trigger', config }], connections: [] };
    const made = await call('POST', '/workflows', { body: { name: 'Mail', definition, status: 'active' } });
    expect(made.status, made.text).toBe(201);
    const { id } = made.body as { id: string };

    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < MAILS_PER_ROUND; i++)
        imap.deliver(createMessage({ Subject: `mail ${round * MAILS_PER_ROUND + i}` }));
      const before = await count(call, id);
      await waitUntil(
        () => count(call, id),
        (found) => found > before,
        60_000,
      );
      const at = round % workers.length;
      await (workers[at] as SpawnedService).kill9();
      workers[at] = await cluster.start('worker');
    }
    const total = ROUNDS * MAILS_PER_ROUND;
    await waitUntil(
      () => Promise.resolve(imap.list('Archive').length),
      (found) => found === total,
      60_000,
    );
    expect(await count(call, id)).toBe(total);
    const { executions } = (await call('GET', `/workflows/${id}/executions?limit=100`)).body as {
      executions: { id: string }[];
    };
    const subjects = await Promise.all(
      executions.map(async (one) => {
        const { body } = await call('GET', `/executions/${one.id}`);
        return (body as { input: { subject: string } }).input.subject;
      }),
    );
    expect(new Set(subjects).size).toBe(total);
  }, 300_000);
});

async function count(call: Call, id: string): Promise<number> {
  const { body } = await call('GET', `/workflows/${id}/executions?limit=1`);
  return (body as { pagination: { total: number } }).pagination.total;
}
