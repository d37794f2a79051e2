import { expect } from 'vitest';
import { startImapServer, type ImapServer } from './servers/imap-server.ts';
import { spawnService, createTempFolder, waitUntil, type Call, type SpawnedService } from './service.ts';

/** A message as an execution receives it. */
export type ReceivedEmail = {
  uid: number;
  subject: string | null;
  from: { name: string; address: string } | null;
  text: string | null;
  html: string | null;
  attachments: { $file: { id: string; name: string; content_type: string; size: number } }[];
  problem: string | null;
  flags: string[];
  [field: string]: unknown;
};

/** The built service and a mail server whose certificate it trusts. */
export type MailboxFixture = {
  readonly imap: ImapServer;
  readonly folder: string;
  service: SpawnedService;
  call: Call;
  /** Starts the service, also after it was killed. */
  restart(): Promise<void>;
  /** Configuration of the server and the account. */
  account(): Record<string, unknown>;
  /** Creates an active workflow with an email trigger. Resolves with its id after the first poll. */
  addTrigger(config?: Record<string, unknown>): Promise<string>;
  trigger(id: string): Promise<{ next_run_at: string | null; last_error: string | null }>;
  count(id: string): Promise<number>;
  /** The inputs of all executions of a workflow. */
  received(id: string): Promise<ReceivedEmail[]>;
  /** Waits until a workflow has `count` executions. */
  waitForCount(id: string, count: number, ms?: number): Promise<void>;
  /** The same, and returns their inputs, in the order of their UIDs. */
  waitFor(id: string, count: number, ms?: number): Promise<ReceivedEmail[]>;
  close(): Promise<void>;
};

const PAGE_SIZE = 100;

export async function startMailboxFixture(
  options: {
    tls?: { certificate: string; key: string };
    env?: Record<string, string>;
  } = {},
): Promise<MailboxFixture> {
  const imap = await startImapServer(options.tls);
  const folder = createTempFolder();
  const start = (): Promise<SpawnedService> =>
    spawnService({ dataDir: folder.path, env: { NODE_EXTRA_CA_CERTS: imap.caFile, ...options.env } });
  const service = await start();
  const call = await service.login();
  const secret = await call('PUT', '/secrets/MAIL', { body: { value: imap.password } });
  expect(secret.status, secret.text).toBe(200);

  const fixture: MailboxFixture = {
    imap,
    folder: folder.path,
    service,
    call,
    async restart() {
      fixture.service = await start();
      fixture.call = await fixture.service.login();
    },
    account: () => ({ host: '127.0.0.1', port: imap.port, user: imap.user, password: '{{ secrets.MAIL }}' }),
    async addTrigger(config = {}) {
      const trigger = { triggerType: 'email', ...fixture.account(), interval: '1s', ...config };
      const definition = {
        nodes: [{ id: 'inbox', type: 'trigger', config: trigger }],
        connections: [],
      };
      const made = await fixture.call('POST', '/workflows', {
        body: { name: 'Mail', definition, status: 'active' },
      });
      expect(made.status, made.text).toBe(201);
      const { id, triggers } = made.body as { id: string; triggers: { next_run_at: string }[] };
      if (config['first'] !== 'take') await firstPoll(id, triggers[0]!.next_run_at);
      return id;
    },
    async trigger(id) {
      const shown = (await fixture.call('GET', `/workflows/${id}`)).body as {
        triggers: { next_run_at: string | null; last_error: string | null }[];
      };
      return shown.triggers[0]!;
    },
    count: countExecutions,
    async received(id) {
      const found: ReceivedEmail[] = [];
      for (let page = 1; ; page++) {
        const list = await fixture.call('GET', `/workflows/${id}/executions?limit=${PAGE_SIZE}&page=${page}`);
        const { executions } = list.body as { executions: { id: string }[] };
        const details = executions.map(
          async (one) => (await fixture.call('GET', `/executions/${one.id}`)).body,
        );
        for (const one of await Promise.all(details)) found.push((one as { input: ReceivedEmail }).input);
        if (executions.length < PAGE_SIZE) return found;
      }
    },
    async waitForCount(id, count, ms) {
      await waitUntil(
        () => countExecutions(id),
        (found) => found >= count,
        ms,
      );
    },
    async waitFor(id, count, ms) {
      await fixture.waitForCount(id, count, ms);
      return (await fixture.received(id)).toSorted((a, b) => a.uid - b.uid);
    },
    async close() {
      await fixture.service.kill9();
      await imap.stop();
      folder.remove();
    },
  };

  async function countExecutions(id: string): Promise<number> {
    const list = await fixture.call('GET', `/workflows/${id}/executions?limit=1`);
    return (list.body as { pagination: { total: number } }).pagination.total;
  }

  /** The first due poll has ended: its claim was for several seconds, and the interval is one second. */
  async function firstPoll(id: string, due: string): Promise<void> {
    await waitUntil(
      () => fixture.trigger(id),
      ({ next_run_at: next, last_error: error }) =>
        error !== null || (next !== null && next !== due && Date.parse(next) < Date.now() + 3_000),
    );
  }

  return fixture;
}

/** A message with the given headers and body. */
export function createMessage(headers: Record<string, string>, body = 'Hello\r\n'): string {
  const lines = Object.entries({ From: 'Ada <ada@example.com>', To: 'orders@example.com', ...headers });
  return `${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`;
}
