import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createExecutionWatch, isSettled, type ExecutionReader } from './watch-execution.ts';
import { ConnectionError, NotFoundError } from '../errors.ts';
import type { Execution, ExecutionUpdate } from '../generated/types.ts';

type Run = { id: string; status: Execution['status']; progress: number };

/** A simulated service with random progress. Updates are lost while it is disconnected. */
async function story(seed: number): Promise<void> {
  const random = createSeededRandom(seed).next;
  const runs: Run[] = [];
  const turn = async (): Promise<void> => {
    for (let i = Math.floor(random() * 4); i > 0; i--) await Promise.resolve();
  };
  const shown = ({ id, status, progress }: Run) =>
    ({
      id,
      workflow_id: 'wf_1',
      status,
      progress,
      current_node: null,
      end_time: null,
    }) as unknown as Execution;
  let isConnected = false;
  const guard = async (): Promise<void> => {
    await turn();
    if (!isConnected && random() < 0.7) throw new ConnectionError({ message: 'away' });
  };
  const reader: ExecutionReader = {
    async get(id) {
      await guard();
      const run = runs.find((one) => one.id === id);
      if (run === undefined) throw new NotFoundError('NOT_FOUND', { message: 'gone' });
      const response = shown(run);
      await turn();
      return response;
    },
    async list({ status, page = 1, limit = 10 }) {
      await guard();
      const found = runs.filter((run) => status === undefined || run.status === status).reverse();
      const executions = found
        .slice((page - 1) * limit, page * limit)
        .map((run) => ({ ...shown(run), retries: [] }));
      const total_pages = Math.ceil(found.length / limit);
      await turn();
      return {
        executions: executions.map((one) => ({ ...one, retries: [] })),
        pagination: { page, limit, total: found.length, total_pages },
        searched_from: null,
      };
    },
  };
  const watch = createExecutionWatch(reader, {}, 10_000);
  const given = new Map<string, ExecutionUpdate['status'][]>();
  const takeAll = (): void => {
    for (let next = watch.take(); next !== null; next = watch.take())
      given.set(next.execution_id, [...(given.get(next.execution_id) ?? []), next.status]);
  };
  const notify = ({ id, status, progress }: Run): void => {
    if (isConnected)
      watch.offer({
        execution_id: id,
        workflow_id: 'wf_1',
        status,
        progress,
        current_node: '',
        timestamp: '',
      });
  };
  const move = (mayBegin = true): void => {
    if (mayBegin && random() < 0.2) {
      runs.push({ id: `ex_${runs.length}`, status: 'queued', progress: 0 });
      notify(runs.at(-1)!);
    }
    const open = runs.filter((run) => !isSettled(run.status));
    const run = open[Math.floor(random() * open.length)];
    if (run === undefined) return;
    run.progress = Math.min(1, run.progress + random() / 2);
    run.status =
      run.progress === 1 ? (random() < 0.5 ? 'completed' : 'failed') : random() < 0.5 ? 'running' : 'waiting';
    notify(run);
  };
  /** Repeats the read until it succeeds, as the live updates reader does. */
  const reconnect = async (): Promise<void> => {
    isConnected = true;
    for (let done = false; !done;) {
      const reading = watch.read(new AbortController().signal).then(
        () => (done = true),
        () => {},
      );
      for (let i = 0; i < 20; i++) {
        if (random() < 0.5) move();
        await turn();
      }
      if (random() < 0.2) isConnected = !isConnected;
      await reading;
      if (!isConnected) done = false;
      isConnected = true;
    }
  };

  for (let i = 0; i < 10; i++) move();
  const early = new Set(runs.filter((run) => isSettled(run.status)).map((run) => run.id));
  await reconnect();
  for (let round = 0; round < 6; round++) {
    for (let i = Math.floor(random() * 30); i > 0; i--) {
      move();
      if (random() < 0.3) takeAll();
    }
    isConnected = false;
    for (let i = Math.floor(random() * 40); i > 0; i--) move();
    await reconnect();
  }
  while (runs.some((run) => !isSettled(run.status))) move(false);
  takeAll();
  for (const run of runs) {
    const statuses = given.get(run.id) ?? [];
    const context = `seed ${seed}, ${run.id}: ${statuses.join(' ')}`;
    if (early.has(run.id)) continue;
    expect(statuses.filter(isSettled), context).toEqual([run.status]);
    expect(statuses.at(-1), context).toBe(run.status);
  }
}

test('every end is yielded once and last, even if updates are lost', async () => {
  const first = Math.floor(Math.random() * 1_000_000);
  for (let seed = first; seed < first + 200; seed++) await story(seed);
});
