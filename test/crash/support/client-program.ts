import { readFileSync } from 'node:fs';
import { adminEmail, adminPassword } from '../../support/service.ts';
import { appendRecord } from './record-file.ts';
import type { AcknowledgedRequest } from './client-record.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';

/*
 * The clients, as a separate process: `node client-program.ts <base url> <record file> <workflows file>
 * <seed> <lanes>`. They continue while the service crashes and restarts: requests with an Idempotency-Key are
 * repeated until they get a response. On SIGTERM they start nothing new, finish their pending requests, and
 * exit.
 */
type Known = { id: string; name: string; endpoint: string | null; answers: 'ends' | 'accepted' };
type Got = { status: number; id: string | null; body: unknown; text: string };

const [url, file, workflowsFile, seedText, lanesText] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const known = JSON.parse(readFileSync(workflowsFile, 'utf8')) as Known[];
const random = createSeededRandom(Number(seedText)).next;
const toStop = known.find((one) => one.name === 'to be stopped')!;
const others = known.filter((one) => one !== toStop);
/** In ms: the time limit of a request, and of the shutdown of a client. */
const TIMEOUT_MS = 40_000;
/** When the shutdown was requested; null: the client continues. */
const ending: { since: number | null } = { since: null };
const mayAsk = (): boolean => ending.since === null || Date.now() - ending.since < TIMEOUT_MS;
let token = '';
let serial = 0;

process.on('SIGTERM', () => (ending.since = Date.now()));

const record = (one: AcknowledgedRequest): void => appendRecord(file, one);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const field = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;

/** Null: the connection broke, so the outcome is unknown. */
async function call(
  method: string,
  where: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Got | null> {
  try {
    const response = await fetch(`${url}${where}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        authorization: `Bearer ${token}`,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    const parsed: unknown = text === '' ? null : JSON.parse(text);
    return { status: response.status, id: response.headers.get('x-weft-execution-id'), body: parsed, text };
  } catch {
    return null;
  }
}

async function login(): Promise<void> {
  while (mayAsk()) {
    const received = await call('POST', '/auth/login', { email: adminEmail, password: adminPassword });
    if (received?.status === 200) {
      token = String(field(received.body, 'token'));
      return;
    }
    await pause(20);
  }
}

/**
 * Repeats until there is a response; null: timed out. Responses of a service that shuts down do not count.
 */
async function retryUntilResponse(
  method: string,
  where: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Got | null> {
  while (mayAsk()) {
    const received = await call(method, where, body, headers);
    if (received !== null && received.status !== 429) return received;
    await pause(10 + random() * 20);
  }
  return null;
}

function odd(what: string, received: Got): void {
  record({ t: 'odd', what, status: received.status, body: received.text.slice(0, 1_000) });
}

async function start(workflow: Known, key: string | null): Promise<string | null> {
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  const where =
    workflow.endpoint === null ? `/workflows/${workflow.id}/execute` : `/webhooks/${workflow.endpoint}`;
  const ask = key === null ? call : retryUntilResponse;
  const received = await ask(
    'POST',
    where,
    workflow.endpoint === null ? { input: {} } : { order: 1 },
    headers,
  );
  if (received === null) {
    record({ t: 'lost', what: workflow.name });
    return null;
  }
  const expected = workflow.endpoint === null ? 201 : 200;
  const id = workflow.endpoint === null ? field(received.body, 'id') : received.id;
  // An execution that was interrupted three times in the same node has failed, and reports it.
  const failed = received.status === 500 && workflow.answers === 'ends' && typeof id === 'string';
  if (received.status === 429) return null;
  if ((received.status !== expected && !failed) || typeof id !== 'string') {
    odd(workflow.name, received);
    return null;
  }
  const ended = workflow.answers === 'ends' && !failed && field(received.body, 'status') === undefined;
  if (ended && field(received.body, 'execution') !== id)
    odd(`${workflow.name}: not its own output`, received);
  record({ t: 'execution', id, workflow: workflow.id, key, ended });
  return id;
}

async function startAndStop(key: string): Promise<void> {
  const id = await start(toStop, key);
  if (id === null) return;
  await pause(random() * 150);
  const received = await retryUntilResponse('POST', `/executions/${id}/stop`, undefined);
  if (received === null) return record({ t: 'lost', what: 'stop' });
  if (received.status === 200) record({ t: 'stopped', id, at: Date.now() });
  else if (received.status === 400) record({ t: 'not_stopped', id });
  else odd('stop', received);
}

async function save(name: string): Promise<void> {
  const definition = {
    nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }],
    connections: [],
  };
  const created = await call('POST', '/workflows', { name, definition });
  if (created === null) return record({ t: 'lost', what: 'create' });
  if (created.status !== 201) return odd('create', created);
  const id = String(field(created.body, 'id'));
  record({ t: 'workflow', id, version: 1, name });
  const changed = await call('PUT', `/workflows/${id}`, { name: `${name} again` });
  if (changed === null) return record({ t: 'lost', what: 'update' });
  if (changed.status !== 200) return odd('update', changed);
  record({ t: 'workflow', id, version: Number(field(changed.body, 'version')), name: `${name} again` });
}

async function lane(number: number): Promise<void> {
  while (ending.since === null) {
    const key = `${seedText}-${number}-${serial++}`;
    const chance = random();
    if (chance < 0.1) await startAndStop(key);
    else if (chance < 0.18) await save(key);
    else {
      const workflow = others[Math.floor(random() * others.length)]!;
      await start(workflow, random() < 0.6 ? key : null);
    }
    await pause(random() * 40);
  }
}

await login();
process.stdout.write('logged in\n');
await Promise.all(Array.from({ length: Number(lanesText) }, (_, i) => lane(i)));
process.exit(0);
