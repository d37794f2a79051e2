import { afterEach, beforeEach, expect, test } from 'vitest';
import { createInProcessBuses } from '../../src/coordination/in-process/bus.ts';
import { limits } from '../../src/ports/limits.ts';
import { createInProcessQueues } from '../../src/coordination/in-process/queue.ts';
import type { Cluster } from '../../src/engine/worker/leader-election.ts';
import type { Engine } from '../../src/engine/engine-api.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

/* Several engines on one store, with a queue and a bus of this process between them. */

/** `isCutOff`: its lease cannot be renewed. `isAway`: nothing of it reaches the store. */
type Member = { engine: Engine; id: string; leads: boolean[]; isCutOff: boolean; isAway: boolean };

const UNREACHABLE = 'the store is not to be reached';

let fixture: EngineFixture;
let queues: ReturnType<typeof createInProcessQueues>;
let buses: ReturnType<typeof createInProcessBuses>;
let members: Member[] = [];
/** Wake-ups and messages are lost while this is set. */
let isCut = false;
/** Kinds of messages that are lost. */
const lost = new Set<string>();

beforeEach(async () => {
  fixture = await new EngineFixture().open();
  await fixture.engine.drain(0);
  queues = createInProcessQueues(() => fixture.clock.now());
  buses = createInProcessBuses((error) => fixture.reports.push(error));
  members = [];
  isCut = false;
  lost.clear();
});
afterEach(async () => {
  await Promise.all(members.map((member) => drained(member, 0)));
  fixture.engine = members[0]!.engine;
  expect(fixture.reports).toEqual([]);
  await fixture.close();
});

async function join(id: string): Promise<Member> {
  const queue = queues.join();
  const bus = buses.join();
  const leads: boolean[] = [];
  const cluster: Cluster = {
    process: id,
    queue: {
      ...queue,
      announce: (ids) => (isCut ? undefined : queue.announce(ids)),
      isUp: () => !isCut,
    },
    bus: {
      ...bus,
      publish: (kind, message) => (isCut || lost.has(kind) ? undefined : bus.publish(kind, message)),
      isUp: () => !isCut,
    },
    onLeadershipChange: (leading) => leads.push(leading),
  };
  const member = { id, leads, isCutOff: false, isAway: false } as Member;
  const executions = new Proxy(fixture.store.executions, {
    get: (target, name): unknown => {
      const isDown = member.isAway || (member.isCutOff && name === 'heartbeat');
      return isDown ? () => Promise.reject(new Error(UNREACHABLE)) : Reflect.get(target, name);
    },
  });
  const store = { ...fixture.store, executions };
  member.engine = await fixture.makeEngine(cluster, store);
  members.push(member);
  return member;
}

async function drained({ engine }: Member, grace: number): Promise<void> {
  let done = false;
  const drain = engine.drain(grace).then(() => (done = true));
  await fixture.until('it has drained', () => done);
  await drain;
}

const node = (id: string, type = 'probe', config = {}) => ({ id, type, config });
const probing = (settings = {}) => fixture.save([node('work')], ['start > work'], settings);

async function start({ engine }: Member, workflowId: string, settings = {}): Promise<string> {
  const result = await engine.start(fixture.request(workflowId, { a: 1 }, { settings }));
  if (result.kind !== 'accepted') throw new Error(result.kind);
  result.watch.cancel();
  return result.id;
}

test('an execution that an API process starts runs in a worker, and the API process is notified of its end', async () => {
  const api = await join('api_1');
  await join('wrk_1');
  const workflowId = await probing();
  const result = await api.engine.start(fixture.request(workflowId, { a: 1 }));
  if (result.kind !== 'accepted') throw new Error(result.kind);
  expect(result.watch.end).toBeUndefined();
  await fixture.until('the end is published', () => result.watch.end !== undefined);
  expect(result.watch.end).toEqual({ status: 'completed', output: { seen: { a: 1 } }, error: null });
  expect(api.engine.health().active).toBe(0);
});

test('an end that was not published is read; so is an output that is too large for a message', async () => {
  const api = await join('api_1');
  await join('wrk_1');
  const workflowId = await fixture.save([], []);
  for (const cut of [true, false]) {
    isCut = cut;
    const input = cut ? { a: 1 } : { large: 'x'.repeat(20_000) };
    const result = await api.engine.start(fixture.request(workflowId, input));
    if (result.kind !== 'accepted') throw new Error(result.kind);
    await fixture.until('the end is known', () => result.watch.end !== undefined);
    expect(result.watch.end).toMatchObject({ status: 'completed', output: input });
  }
});

test('max_concurrency limits the executions of a workflow over all workers', async () => {
  const settings = { max_concurrency: 2 };
  const api = await join('api_1');
  await join('wrk_1');
  await join('wrk_2');
  const workflowId = await probing(settings);
  let atWork = 0;
  let most = 0;
  fixture.probes.set('work', async () => {
    most = Math.max(most, ++atWork);
    await new Promise((resolve) => setTimeout(resolve, 3));
    atWork--;
    return { kind: 'done', outputs: { out: 1 } };
  });
  const ids = await Promise.all(Array.from({ length: 12 }, () => start(api, workflowId, settings)));
  await fixture.until('all have ended', async () =>
    (await Promise.all(ids.map((id) => fixture.status(id)))).every((status) => status === 'completed'),
  );
  expect(most).toBe(2);
  expect(fixture.calls).toHaveLength(12);
});

test('a timer of an execution in no worker resumes it on one worker, with wake-ups or without', async () => {
  const api = await join('api_1');
  await join('wrk_1');
  await join('wrk_2');
  const workflowId = await fixture.save(
    [node('sleep', 'delay', { duration: '30s' }), node('work')],
    ['start > sleep', 'sleep > work'],
  );
  for (const cut of [false, true]) {
    isCut = cut;
    fixture.calls.length = 0;
    const ids = await Promise.all([1, 2, 3].map(() => start(api, workflowId)));
    await fixture.until('all wait', async () =>
      (await Promise.all(ids.map((id) => fixture.status(id)))).every((status) => status === 'waiting'),
    );
    for (let i = 0; i < 40; i++) {
      fixture.clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await fixture.until('all have ended', async () =>
      (await Promise.all(ids.map((id) => fixture.status(id)))).every((status) => status === 'completed'),
    );
    expect(fixture.calls).toHaveLength(3);
  }
});

test('a stop reaches the worker that is at it', async () => {
  const api = await join('api_1');
  await join('wrk_1');
  const workflowId = await probing();
  let aborted = false;
  fixture.probes.set('work', ({ ctx }) => {
    return new Promise((resolve) => {
      ctx.signal.addEventListener('abort', () => {
        aborted = true;
        resolve({ kind: 'failed', error: { type: 'code', message: 'aborted' } });
      });
    });
  });
  const id = await start(api, workflowId);
  await fixture.until('it runs', () => fixture.calls.length === 1);
  expect((await api.engine.stop(owner, id)).kind).toBe('stopped');
  await fixture.until('the node is aborted', () => aborted);
  expect(await fixture.status(id)).toBe('stopped');
});

test('one worker leads: the oldest; when it leaves, another one leads, and its executions continue', async () => {
  await join('api_1');
  const first = await join('wrk_1');
  const second = await join('wrk_2');
  expect([first.leads, second.leads]).toEqual([[true], []]);
  const workflowId = await probing();
  const done: (() => void)[] = [];
  fixture.probes.set('work', ({ ctx }) => {
    return new Promise((resolve) => {
      const end = (): void => resolve({ kind: 'done', outputs: { out: 1 } });
      done.push(end);
      ctx.signal.addEventListener('abort', end);
    });
  });
  const id = await start(first, workflowId);
  await fixture.until('it runs', () => done.length === 1);
  await drained(first, 5);
  expect(first.leads).toEqual([true, false]);
  await fixture.until('another one leads', () => second.leads.length === 1);
  await fixture.until('it runs again', () => done.length === 2);
  done[1]!();
  await fixture.until('it has ended', async () => (await fixture.status(id)) === 'completed');
  // Put down on purpose: no interruption is counted.
  expect((await fixture.view(id)).nodes.find((run) => run.nodeId === 'work')?.status).toBe('completed');
});

test('an execution with an expired lease is taken over, and later writes of its worker are rejected', async () => {
  const api = await join('api_1');
  const first = await join('wrk_1');
  const workflowId = await fixture.save([node('before'), node('work')], ['start > before', 'before > work']);
  const ends: (() => void)[] = [];
  fixture.probes.set('work', () => {
    return new Promise((resolve) => {
      ends.push(() => resolve({ kind: 'done', outputs: { out: 'late' } }));
    });
  });
  const ids = await Promise.all([1, 2, 3].map(() => start(api, workflowId)));
  await fixture.until('all are running', () => ends.length === 3);
  fixture.probes.set('work', () => ({ kind: 'done', outputs: { out: 'again' } }));
  await join('wrk_2');
  first.isCutOff = true;
  await fixture.until('all have ended', async () => {
    fixture.clock.advance(limits.sweepMs / 5);
    return (await Promise.all(ids.map((id) => fixture.status(id)))).every((status) => status === 'completed');
  });
  first.isCutOff = false;
  const message = `Error: ${UNREACHABLE}`;
  await fixture.until('it is reported', () => fixture.reports.map(String).includes(message));
  fixture.reports.splice(0);
  expect(fixture.calls.filter(({ ctx }) => ctx.nodeId === 'before')).toHaveLength(3);
  for (const end of ends) end();
  await fixture.until('it lets go', () => first.engine.health().active === 0);
  for (const id of ids) expect((await fixture.view(id)).output).toBe('again');
});

/** ms that the clock advances per check. */
const STEP = limits.sweepMs / 5;

async function pass(ms: number): Promise<void> {
  const end = fixture.clock.now() + ms;
  await fixture.until('time has passed', () => fixture.clock.now() >= end, STEP);
}

async function completed(id: string): Promise<void> {
  await fixture.until('it has completed', async () => (await fixture.status(id)) === 'completed', STEP);
}

test('after an outage of the store, the first worker that reaches it does not take over executions of others', async () => {
  const api = await join('api_1');
  await join('wrk_1');
  const workflowId = await probing();
  let end = (): void => {};
  fixture.probes.set('work', () => {
    return new Promise((resolve) => (end = () => resolve({ kind: 'done', outputs: { out: 1 } })));
  });
  const id = await start(api, workflowId);
  await fixture.until('it runs', () => fixture.calls.length === 1);
  const second = await join('wrk_2');
  for (const member of members) member.isAway = true;
  await pass(2 * limits.leaseMs);
  end();
  second.isAway = false;
  await pass(limits.leaseMs / 2);
  expect(second.engine.health().active).toBe(0);
  for (const member of members) member.isAway = false;
  await completed(id);
  expect(fixture.calls).toHaveLength(1);
  expect(fixture.reports.map(String)).toContain(`Error: ${UNREACHABLE}`);
  fixture.reports.splice(0);
});

test('after the store was unreachable, a worker that does not return loses its executions', async () => {
  const api = await join('api_1');
  const first = await join('wrk_1');
  const workflowId = await probing();
  let end = (): void => {};
  fixture.probes.set('work', () => {
    return new Promise((resolve) => (end = () => resolve({ kind: 'done', outputs: { out: 'late' } })));
  });
  const id = await start(api, workflowId);
  await fixture.until('it runs', () => fixture.calls.length === 1);
  fixture.probes.set('work', () => ({ kind: 'done', outputs: { out: 'again' } }));
  await join('wrk_2');
  for (const member of members) member.isAway = true;
  await pass(2 * limits.leaseMs);
  for (const member of members) member.isAway = member === first;
  await completed(id);
  expect((await fixture.view(id)).output).toBe('again');
  first.isAway = false;
  end();
  await fixture.until('it lets go', () => first.engine.health().active === 0, STEP);
  fixture.reports.splice(0);
});

test('a response whose message was lost is read when the execution ends', async () => {
  const api = await join('api_1');
  await join('wrk_1');
  const workflowId = await fixture.save(
    [node('reply', 'respond', { status: 201, body: 'hi' }), node('work')],
    ['start > reply', 'reply > work'],
  );
  let end = (): void => {};
  fixture.probes.set('work', () => {
    return new Promise((resolve) => (end = () => resolve({ kind: 'done', outputs: { out: 1 } })));
  });
  lost.add('answered');
  const result = await api.engine.start(fixture.request(workflowId, {}));
  if (result.kind !== 'accepted') throw new Error(result.kind);
  let response: unknown;
  void result.watch.responded.then((found) => (response = found));
  await fixture.until('it has responded', () => fixture.calls.length === 1);
  end();
  await fixture.until('the response is read', () => response !== undefined, STEP);
  expect(response).toMatchObject({ status: 201, body: 'hi' });
});

test('an error while one child is stopped leaves no child running', async () => {
  const worker = await join('wrk_1');
  const childId = await probing();
  fixture.probes.set('work', () => new Promise(() => {}));
  const parentWorkflow = await fixture.save([node('wait')], ['start > wait']);
  fixture.probes.set('wait', () => new Promise(() => {}));
  const parent = await start(worker, parentWorkflow);
  const trigger = { type: 'sub_workflow' as const, waits: true, execution_id: parent, path: 'wait' };
  const children: string[] = [];
  for (let i = 0; i < 3; i++) {
    const request = fixture.request(childId, {}, { parentId: parent, trigger });
    const started = await worker.engine.start(request);
    if (started.kind === 'accepted') children.push(started.id);
  }
  await fixture.until('all run', () => fixture.calls.length === 4);
  const { executions } = fixture.store;
  const get = executions.get.bind(executions);
  let failures = 1;
  executions.get = (ownerId, id) =>
    children.includes(id) && failures-- > 0 ? Promise.reject(new Error(UNREACHABLE)) : get(ownerId, id);
  expect((await worker.engine.stop(owner, parent)).kind).toBe('stopped');
  await fixture.until(
    'all are stopped',
    async () => {
      const rows = await Promise.all(children.map((id) => get(owner, id)));
      return rows.every((row) => row?.status === 'stopped');
    },
    STEP,
  );
  executions.get = get;
  expect(fixture.reports.map(String)).toEqual([`Error: ${UNREACHABLE}`]);
  fixture.reports.splice(0);
});

test('without the queue, a workflow that was at its limit is tried again', async () => {
  isCut = true;
  const settings = { max_concurrency: 1 };
  const first = await join('wrk_1');
  await join('wrk_2');
  const workflowId = await probing(settings);
  let end = (): void => {};
  fixture.probes.set('work', () => {
    return new Promise((resolve) => (end = () => resolve({ kind: 'done', outputs: { out: 1 } })));
  });
  const ids = [await start(first, workflowId, settings), await start(first, workflowId, settings)];
  await fixture.until('one runs', () => fixture.calls.length === 1, STEP);
  await pass(20 * limits.sweepMs);
  fixture.probes.set('work', () => ({ kind: 'done', outputs: { out: 1 } }));
  end();
  await drained(first, 0);
  for (const id of ids) await completed(id);
});
