import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { submitForm } from '../../support/forms/submit-form.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/*
 * Executions wait for forms with a file while the service is killed: some before anyone has submitted, some
 * while people submit. Each continues exactly once, with what the person saw accepted.
 */
const KILLS = readNumber('CRASH_KILLS', 6);
const FORMS = 24;

const folder = createTempFolder();
let service: SpawnedService | null = null;
let upstream: Server | null = null;
let isOver = false;

afterEach(async () => {
  isOver = true;
  await service?.kill9();
  upstream?.closeAllConnections();
  upstream?.close();
  folder.remove();
});

const definition = (url: string) => ({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'ask',
      type: 'form',
      config: {
        title: 'Documents',
        fields: [
          { type: 'text', name: 'who', label: 'Who', required: true },
          { type: 'file', name: 'scan', label: 'Scan', required: true },
        ],
      },
    },
    {
      id: 'store',
      type: 'http_request',
      config: {
        method: 'POST',
        url,
        body: { execution: '{{ execution.id }}', fields: '{{ nodes.ask.fields }}' },
      },
    },
  ],
  connections: [
    { from: 'start', to: 'ask' },
    { from: 'ask', sourcePort: 'submitted', to: 'store' },
  ],
});

type Effect = { execution: string; fields: { who: string; scan: { $file: { id: string } } } };
type Decision = { execution_id: string; form_url: string | null };

test(
  `${KILLS} times kill -9 while executions wait for forms and people submit them`,
  async () => {
    const random = createSeededRandom(chooseSeed('CRASH_SEED')).next;
    /** What ran behind the form, by idempotency key: a kill may repeat a request, with the same key. */
    const effects = new Map<string, Effect>();
    upstream = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        effects.set(String(request.headers['idempotency-key']), JSON.parse(text) as Effect);
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => upstream!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    const env = { PORT: String(await freePort()), WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' };
    service = await spawnService({ dataDir: folder.path, env });
    let call: Call = await service.login();
    const made = await call('POST', '/workflows', {
      body: { name: 'Documents', definition: definition(url) },
    });
    const path = `/workflows/${(made.body as { id: string }).id}/execute`;
    const executions: string[] = [];
    for (let i = 0; i < FORMS; i++)
      executions.push(((await call('POST', path, { body: {} })).body as { id: string }).id);
    const kill = async (): Promise<void> => {
      await service!.kill9();
      service = await spawnService({ dataDir: folder.path, env });
      call = await service.login();
    };
    // Before the first submission, all forms are there after the restart, with the same links.
    const list = async (): Promise<Decision[]> =>
      ((await call('GET', '/decisions?status=open&limit=100')).body as { decisions: Decision[] }).decisions;
    const open = await waitUntil(list, (found) => found.length === FORMS, 60_000);
    await kill();
    const links = new Map(
      (await waitUntil(list, (found) => found.length === FORMS, 60_000)).map((one) => [
        one.execution_id,
        one.form_url!,
      ]),
    );
    expect(links).toEqual(new Map(open.map((one) => [one.execution_id, one.form_url])));

    /** What a person saw accepted, by execution. */
    const acknowledged = new Map<string, string>();
    let interrupted = 0;
    /** Submits the same page until it is accepted. */
    async function submit(execution: string, person: number): Promise<void> {
      const who = `person ${person} of ${execution}`;
      const scan = new File([`scan of ${who}`], 'scan.txt', { type: 'text/plain' });
      while (!isOver) {
        try {
          const { status, html } = await submitForm(links.get(execution)!, { who, scan });
          if (status === 200 && html.includes('Thank you')) {
            expect(acknowledged.has(execution)).toBe(false);
            acknowledged.set(execution, who);
            return;
          }
          // The final page of an earlier request whose response was lost, or the submission of the other.
          if (status === 400 || status === 200) return;
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
        interrupted++;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const work = async (person: number): Promise<void> => {
      for (const execution of executions) {
        if (isOver) return;
        if (effects.size >= FORMS) return;
        await submit(execution, person);
        await new Promise((resolve) => setTimeout(resolve, 20 + random() * 60));
      }
    };
    const people = [work(1)];
    for (let i = 0; i < KILLS; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random() * 250));
      await kill();
    }
    await Promise.all(people);
    for (const id of executions)
      await waitUntil(
        async () => ((await call('GET', `/executions/${id}`)).body as { status: string }).status,
        (status) => status === 'completed',
        60_000,
      );
    const ran = [...effects.values()];
    expect(ran.map(({ execution }) => execution).toSorted()).toEqual(executions.toSorted());
    for (const { execution, fields } of ran) {
      const who = acknowledged.get(execution) ?? fields.who;
      expect(fields.who).toBe(who);
      expect((await call('GET', `/files/${fields.scan.$file.id}`)).text).toBe(`scan of ${who}`);
    }
    expect(interrupted).toBeGreaterThan(0);
    console.log(
      `form node: ${FORMS} forms, ${KILLS} kills, ${interrupted} submissions interrupted, ${acknowledged.size} acknowledged, ${effects.size} continued`,
    );
  },
  KILLS * 30_000 + 240_000,
);
