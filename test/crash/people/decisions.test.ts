import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startMailServer, parseHeaders, type TestMailServer } from '../../support/servers/smtp-server.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

const KILLS = readNumber('CRASH_KILLS', 8);
const QUESTIONS = readNumber('CRASH_QUESTIONS', 120);
/** Upper limit for asking, responding to and reading one decision, ms. */
const QUESTION_MS = 100;
const PAGE_SIZE = 100;

type Decision = {
  id: string;
  status: string;
  choice: string;
  execution_id: string;
  assignees: { choice: string | null }[];
};

const folder = createTempFolder();
let service: SpawnedService | null = null;
let upstream: Server | null = null;
let mail: TestMailServer | null = null;

afterEach(async () => {
  await service?.kill9();
  upstream?.closeAllConnections();
  upstream?.close();
  await mail?.close();
  folder.remove();
});

const definition = (url: string) => ({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'ask',
      type: 'approval',
      config: {
        title: 'Expense',
        assignees: ['admin@example.com', 'guest@example.com'],
        email: { credentials: '{{ secrets.MAIL }}', from: 'weft@example.com' },
        reminders: ['3s'],
      },
    },
    ...['approved', 'rejected'].map((id) => ({
      id,
      type: 'http_request',
      config: { method: 'POST', url, body: { execution: '{{ execution.id }}', choice: id } },
    })),
  ],
  connections: [
    { from: 'start', to: 'ask' },
    ...['approved', 'rejected'].map((port) => ({ from: 'ask', sourcePort: port, to: port })),
  ],
});

async function listAll(call: Call, query: string): Promise<Decision[]> {
  const all: Decision[] = [];
  for (let page = 1; ; page++) {
    const { body } = await call('GET', `/decisions?${query}&limit=${PAGE_SIZE}&page=${page}`);
    const { decisions } = body as { decisions: Decision[] };
    all.push(...decisions);
    if (decisions.length < PAGE_SIZE) return all;
  }
}

/** Of the e-mails to the person without an account, who is asked last. */
function listMessageIds({ received }: TestMailServer): string[] {
  return received
    .filter(({ to }) => to.includes('guest@example.com'))
    .map(({ raw }) => parseHeaders(raw).get('message-id')!);
}
const toDecisionId = (messageId: string): string => messageId.slice(1).split('.')[0]!;

test(
  'killed repeatedly while people respond: each decision is made once, and each e-mail is sent',
  async () => {
    const seed = chooseSeed('CRASH_SEED');
    const random = createSeededRandom(seed).next;
    /** The choices that had an effect, by idempotency key. */
    const effects = new Map<string, { execution: string; choice: string }>();
    let calls = 0;
    upstream = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        calls++;
        effects.set(String(request.headers['idempotency-key']), JSON.parse(text) as never);
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => upstream!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    mail = await startMailServer();
    service = await spawnService({ dataDir: folder.path });
    let call = await service.login();
    await call('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
    const made = await call('POST', '/workflows', { body: { name: 'Ask', definition: definition(url) } });
    const path = `/workflows/${(made.body as { id: string }).id}/execute`;
    const executions: string[] = [];
    for (let i = 0; i < QUESTIONS; i++)
      executions.push(((await call('POST', path, { body: {} })).body as { id: string }).id);

    /** Acknowledged responses by decision. */
    const acknowledged = new Map<string, string>();
    let interrupted = 0;
    /** Responds only to decisions whose e-mail has arrived, so that each must have one. */
    async function respondToSome(): Promise<void> {
      const asked = new Set(listMessageIds(mail!).map(toDecisionId));
      for (const { id } of (await listAll(call, 'status=open')).filter((one) => asked.has(one.id))) {
        const choice = random() < 0.5 ? 'approved' : 'rejected';
        const response = await call('POST', `/decisions/${id}/respond`, { body: { choice } });
        if (response.status === 200) acknowledged.set(id, choice);
      }
    }
    for (let kill = 0; kill < KILLS; kill++) {
      let isKilled = false;
      const people = respondToSome().catch((error: unknown) => {
        if (!isKilled) throw error;
        interrupted++;
      });
      await new Promise((resolve) => setTimeout(resolve, 100 + random() * 700));
      isKilled = true;
      await service.kill9();
      await people;
      service = await spawnService({ dataDir: folder.path });
      call = await service.login();
    }
    await waitUntil(
      async () => {
        await respondToSome();
        return listAll(call, 'view=owned');
      },
      (all) => all.length === QUESTIONS && all.every(({ status }) => status === 'decided'),
      120_000 + QUESTIONS * QUESTION_MS,
    );
    const decisions = await listAll(call, 'view=owned');
    expect(new Set(decisions.map(({ execution_id: id }) => id))).toEqual(new Set(executions));
    for (const { id, choice, assignees } of decisions) {
      expect(assignees.filter((person) => person.choice !== null)).toHaveLength(1);
      if (acknowledged.has(id)) expect([id, choice]).toEqual([id, acknowledged.get(id)]);
    }
    for (const id of executions)
      await waitUntil(
        async () => ((await call('GET', `/executions/${id}`)).body as { status: string }).status,
        (status) => status === 'completed',
        60_000,
      );
    const chosen = new Map(decisions.map((decision) => [decision.execution_id, decision.choice]));
    expect([...effects.values()].toSorted((a, b) => (a.execution < b.execution ? -1 : 1))).toEqual(
      executions.toSorted().map((execution) => ({ execution, choice: chosen.get(execution) })),
    );
    const ids = listMessageIds(mail);
    expect(new Set(ids.map(toDecisionId)).size).toBe(QUESTIONS);
    const repeated = ids.length - new Set(ids).size;
    // Only the e-mails in flight at a kill can arrive twice, with the same Message-ID.
    expect(repeated).toBeLessThanOrEqual(KILLS * 20);
    expect(interrupted).toBeGreaterThan(0);
    console.log(
      `decisions: ${QUESTIONS}, ${KILLS} kills, ${interrupted} while people responded, ${acknowledged.size} responses acknowledged, ${calls} calls, ${ids.length} e-mails of which ${repeated} repeated`,
    );
  },
  KILLS * 30_000 + 300_000 + QUESTIONS * 3 * QUESTION_MS,
);
