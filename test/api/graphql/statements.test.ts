import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSystemClock } from '../../../src/app/system-clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { createTempFolder, type Call } from '../../support/service.ts';

/** Counts the database statements of the service, which is possible only in its own process. */
const folder = createTempFolder();
let service: InProcess;
let api: Call;

beforeAll(async () => {
  service = await startInProcess({ dataDir: folder.path, clock: createSystemClock() });
  api = await service.login();
});
afterAll(async () => {
  await service.service.stop();
  folder.remove();
});

const definition = {
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'map',
      type: 'data_transformer',
      config: { operations: [{ action: 'map', input: 'n', output: 'm' }] },
    },
  ],
  connections: [{ from: 'start', to: 'map' }],
};
const EXECUTE =
  'mutation ($id: ID!, $input: ExecuteWorkflowInput) { executeWorkflow(id: $id, input: $input) { id } }';

type GraphqlResponse = { data: { workflows: unknown[] }; errors?: unknown };

/** The data of an operation that must succeed. */
async function get(query: string, variables: object): Promise<GraphqlResponse['data']> {
  const { data, errors } = (await api('POST', '/graphql', { body: { query, variables } }))
    .body as GraphqlResponse;
  expect(errors).toBeUndefined();
  return data;
}

test('lists use a fixed number of statements: 100 workflows with definitions, issues, triggers, executions and their fields', async () => {
  const proto = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as {
    all(...args: unknown[]): unknown;
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { all } = proto;
  let count = 0;
  proto.all = function counted(this: unknown, ...args: unknown[]) {
    count++;
    return all.apply(this, args);
  };
  try {
    const made: string[] = [];
    for (let i = 0; i < 100; i++)
      made.push(
        (
          (await api('POST', '/workflows', { body: { name: `Many ${i}`, definition } })).body as {
            id: string;
          }
        ).id,
      );
    await Promise.all(made.map((id) => get(EXECUTE, { id, input: { input: { n: 1 }, wait: '30s' } })));
    const statements = async (limit: number, selection: string): Promise<number> => {
      const query = `query ($n: Int) { workflows(filter: { limit: $n }) { id ${selection} } }`;
      const counts: number[] = [];
      // The service's own timers come between now and then, so the least of some counts.
      for (let i = 0; i < 12; i++) {
        count = 0;
        const found = await get(query, { n: limit });
        counts.push(count);
        expect(found['workflows']).toHaveLength(limit);
      }
      return Math.min(...counts);
    };
    const selections: [string, number][] = [
      ['definition { nodes { id config } connections { from } } executions(limit: 5) { id status }', 100],
      ['issues { issue } triggers { type }', 100],
      ['executions(limit: 1) { input output workflow { id } }', 50],
    ];
    for (const [selection, most] of selections) {
      const few = await statements(2, selection);
      const many = await statements(most, selection);
      expect(few, 'the statements are counted').toBeGreaterThan(0);
      // Journals go in pieces of 25 executions.
      expect(many - few, selection).toBeLessThanOrEqual(4);
      expect(many).toBeLessThan(16);
    }
  } finally {
    proto.all = all;
  }
});
