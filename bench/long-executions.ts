// Executions that wait after many iterations of a loop, or many turns of an agent: how long it takes a new
// process to wake one until it waits in the next iteration, and to open one, the memory for it, and the bytes
// that it stores.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { readMemory } from './children.ts';
import type { FigureRow } from './report.ts';
import { createDataDir, startService, type Service } from './service.ts';
import { LIMITS } from './targets.ts';

const ITERATIONS = 100_000;
const MANY_ITERATIONS = 1_000_000;
const TURNS = 1_000;
/** The last iterations, each of which waits. */
const LAST_STEPS = 2;
const MIB = 1024 * 1024;
const GIVE_UP_MS = 300_000;
const MESSAGE = 'The customer asks for the state of an order and wants to know when it arrives. '.repeat(12);

type Node = { id: string; type: string; config?: unknown };
type Case = { name: string; nodes: Node[]; connections: object[]; input: object };

/** Waits in each iteration from `value` on: `check` leads to `hold`. */
const gate = (field: string, value: number): Node[] => [
  { id: 'check', type: 'condition', config: { condition: { field, operator: 'greater_or_equal', value } } },
  { id: 'hold', type: 'wait_for_event', config: {} },
];
const toHold = { from: 'check', sourcePort: 'true', to: 'hold' };

function createForEach(iterations: number): Case {
  return {
    name: `for_each of ${iterations}`,
    nodes: [
      // A request has at most 250,000 values.
      {
        id: 'list',
        type: 'code',
        config: { source: `export default () => Array.from({ length: ${iterations} }, (_, i) => i);` },
      },
      { id: 'loop', type: 'for_each', config: { items: '{{ nodes.list }}', nodes: ['check', 'hold'] } },
      ...gate('index', iterations - LAST_STEPS),
    ],
    connections: [{ from: 'list', to: 'loop' }, toHold],
    input: {},
  };
}

function createWhile(iterations: number): Case {
  return {
    name: `while of ${iterations}`,
    nodes: [
      {
        id: 'loop',
        type: 'while',
        config: {
          // The data of the last event has it.
          condition: { field: 'end', operator: 'not_exists' },
          maxIterations: iterations,
          nodes: ['count', 'check', 'hold'],
        },
      },
      { id: 'count', type: 'set', config: { fields: { n: '{{ index }}' }, mode: 'only' } },
      ...gate('n', iterations - LAST_STEPS),
    ],
    connections: [{ from: 'count', to: 'check' }, toHold],
    input: {},
  };
}

function cases(): Case[] {
  const lastTurn = TURNS - LAST_STEPS;
  const reply = {
    text: MESSAGE,
    content: [
      { type: 'text', text: `{{ index }} ${MESSAGE}` },
      { type: 'tool_call', id: 'call-{{ index }}', name: 'look', arguments: { order: '{{ index }}' } },
    ],
    finish_reason: 'tool_call',
    usage: { input_tokens: 1, output_tokens: 1 },
    cost: 0,
    model: 'none',
  };
  return [
    createForEach(ITERATIONS),
    createForEach(MANY_ITERATIONS),
    createWhile(ITERATIONS),
    createWhile(MANY_ITERATIONS),
    {
      name: `agent of ${TURNS} turns`,
      nodes: [
        {
          id: 'loop',
          type: 'agent',
          config: {
            prompt: 'Answer.',
            maxTurns: TURNS,
            model: ['turn', 'check', 'hold', 'reply'],
            tools: [{ name: 'look', description: 'Finds an order.', nodes: ['found'] }],
          },
        },
        { id: 'turn', type: 'set', config: { fields: { n: '{{ index }}' }, mode: 'only' } },
        ...gate('n', lastTurn),
        { id: 'reply', type: 'set', config: { fields: reply, mode: 'only' } },
        { id: 'found', type: 'set', config: { fields: { order: MESSAGE }, mode: 'only' } },
        { id: 'after', type: 'set', config: { fields: { done: true }, mode: 'only' } },
      ],
      connections: [
        { from: 'turn', to: 'check' },
        toHold,
        { from: 'check', sourcePort: 'false', to: 'reply' },
        { from: 'hold', to: 'reply' },
        { from: 'loop', sourcePort: 'limit', to: 'after' },
      ],
      input: {},
    },
  ];
}

async function waitFor(service: Service, id: string, status: string, pauseMs: number): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const { executions } = await service.rest<{
      executions: { id: string; status: string; error: unknown }[];
    }>('GET', '/executions?limit=1');
    const [execution] = executions;
    if (execution?.id === id && execution.status === status) return;
    if (execution?.status === 'failed' || performance.now() > deadline)
      throw new Error(`is ${execution?.status}, not ${status}: ${JSON.stringify(execution?.error)}`);
    await sleep(pauseMs);
  }
}

const openDatabase = (dataDir: string): Database.Database =>
  new Database(path.join(dataDir, 'weft.db'), { readonly: true });

/** Bytes of the journal and of the snapshot. */
function readBytes(dataDir: string): { journal: number; snapshot: number } {
  const db = openDatabase(dataDir);
  try {
    const sum = (sql: string) => db.prepare<[], { n: number }>(sql).get()?.n ?? 0;
    return {
      journal: sum('SELECT coalesce(sum(octet_length(events)), 0) AS n FROM journal'),
      snapshot: sum('SELECT coalesce(sum(octet_length(data)), 0) AS n FROM snapshots'),
    };
  } finally {
    db.close();
  }
}

/** Calls `resume`, and resolves with the ms until the execution waits again. */
async function measureWaking(dataDir: string, resume: () => Promise<unknown>): Promise<number> {
  const db = openDatabase(dataDir);
  try {
    const rows = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM journal');
    const waiting = db.prepare<[], { n: number }>(
      "SELECT count(*) AS n FROM executions WHERE status = 'waiting'",
    );
    const before = rows.get()?.n ?? 0;
    const began = performance.now();
    await resume();
    while (rows.get()?.n === before || waiting.get()?.n !== 1) {
      if (performance.now() - began > GIVE_UP_MS) throw new Error('the execution does not wait again');
      await sleep(1);
    }
    return performance.now() - began;
  } finally {
    db.close();
  }
}

async function measureCase({ name, nodes, connections, input }: Case): Promise<FigureRow[]> {
  const dataDir = createDataDir();
  let service = await startService(dataDir);
  const first = nodes[0]?.id ?? '';
  const { id: workflow } = await service.rest<{ id: string }>('POST', '/workflows', {
    name,
    definition: {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'link', type: 'set', config: { fields: { url: '{{ execution.resume_url }}' } } },
        ...nodes,
      ].map((node) => ({ position: { x: 0, y: 0 }, ...node })),
      connections: [{ from: 'start', to: 'link' }, { from: 'link', to: first }, ...connections],
    },
  });
  const { id } = await service.rest<{ id: string }>('POST', `/workflows/${workflow}/execute`, { input });
  await waitFor(service, id, 'waiting', 200);
  await service.stop();
  const bytes = readBytes(dataDir);

  service = await startService(dataDir);
  const url = async (): Promise<string> => {
    const detail = await service.rest<{ nodes: { nodeId: string; output: { url: string } }[] }>(
      'GET',
      `/executions/${id}`,
    );
    return detail.nodes.find((node) => node.output?.url !== undefined)?.output.url ?? '';
  };
  let began = performance.now();
  const resume = await url();
  const opened = performance.now() - began;
  began = performance.now();
  await service.rest('GET', `/executions/${id}/logs?limit=50`);
  const log = performance.now() - began;
  await service.stop();

  service = await startService(dataDir);
  try {
    await service.rest('GET', '/executions?limit=1');
    const before = readMemory(service.child.pid);
    const at = new URL(resume).pathname.replace(/^\/v1/, '');
    const woken = await measureWaking(dataDir, () => service.rest('POST', at, {}));
    const after = readMemory(service.child.pid);
    began = performance.now();
    await service.rest('POST', at, { end: true });
    await waitFor(service, id, 'completed', 2);
    const completed = performance.now() - began;
    return [
      { what: `${name}: woken`, value: woken, unit: 'ms', limit: LIMITS.wake },
      { what: `${name}: completed`, value: completed, unit: 'ms' },
      { what: `${name}: opened`, value: opened, unit: 'ms', limit: LIMITS.open },
      { what: `${name}: first page of the log`, value: log, unit: 'ms', limit: LIMITS.open },
      {
        what: `${name}: memory for waking`,
        value: after.peak - before.now,
        unit: 'MiB',
        limit: LIMITS.wakeMemory,
      },
      { what: `${name}: journal`, value: bytes.journal / MIB, unit: 'MiB' },
      { what: `${name}: snapshot`, value: bytes.snapshot / MIB, unit: 'MiB' },
    ];
  } finally {
    await service.remove();
  }
}

export async function measureLongExecutions(say: (line: string) => void): Promise<FigureRow[]> {
  const rows: FigureRow[] = [];
  for (const each of cases()) {
    const figures = await measureCase(each);
    rows.push(...figures);
    for (const { what, value, unit } of figures) say(`${what}: ${value.toFixed(2)} ${unit}`);
  }
  return rows;
}
