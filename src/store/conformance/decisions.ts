import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { NewResponse, NewDecision } from '../../ports/store/decisions.ts';
import { HOUR_MS, beginning, creation, next, T0, workflow } from './samples.ts';

const PATH = 'ask';
const ada = { assignee: 'usr_ada', email: 'ada@example.com', role: null };
const bob = { assignee: 'usr_bob', email: 'bob@example.com', role: 'admin' };
const guest = { assignee: 'email:guest@example.com', email: 'guest@example.com', role: null };

const decision = (id: string, fields: Partial<NewDecision> = {}): NewDecision => ({
  id,
  ownerId: 'usr_a',
  executionId: 'ex_1',
  workflowId: 'wf_a',
  nodeId: 'ask',
  path: PATH,
  title: `Expense ${id}`,
  question: {
    message: 'A **new** chair',
    choices: [
      { name: 'approved', label: 'Approve' },
      { name: 'rejected', label: 'Reject' },
    ],
    policy: 'anyone',
    required: 1,
  },
  createdAt: T0,
  deadlineAt: T0 + 1_000,
  assignees: [ada, bob],
  ...fields,
});
const response = (assignee: string, choice = 'approved', fields: Partial<NewResponse> = {}): NewResponse => ({
  assignee,
  choice,
  comment: null,
  values: null,
  channel: 'session',
  at: T0 + 10,
  ...fields,
});

export function decisionsSuite(store: () => Store): void {
  beforeEach(async () => {
    await store().workflows.save(workflow('wf_a'));
    await store().executions.commit([beginning('ex_1'), beginning('ex_2')]);
  });

  test('a node run has one decision, which the first response of anyone makes', async () => {
    const { decisions, executions } = store();
    const made = await decisions.request(decision('dec_1'));
    expect(made).toMatchObject({ id: 'dec_1', status: 'open', workflowName: 'Workflow wf_a', choice: null });
    expect((await decisions.request(decision('dec_2')))?.id).toBe('dec_1');
    expect(await executions.readSignal('usr_a', 'ex_1', PATH)).toBeNull();

    const first = await decisions.respond(
      'dec_1',
      response('usr_bob', 'rejected', { comment: 'Too dear', values: { price: 12.5 } }),
    );
    expect(first).toMatchObject({
      kind: 'recorded',
      decision: { status: 'decided', choice: 'rejected', closedAt: T0 + 10 },
    });
    const second = await decisions.respond('dec_1', response('usr_ada'));
    expect(second).toMatchObject({ kind: 'closed', decision: { choice: 'rejected' } });
    expect(JSON.parse((await executions.readSignal('usr_a', 'ex_1', PATH)) ?? 'null')).toMatchObject({
      decision_id: 'dec_1',
      choice: 'rejected',
      decided_by: 'bob@example.com',
      comment: 'Too dear',
      values: { price: 12.5 },
      responses: [{ user_id: 'usr_bob', via: 'session', values: { price: 12.5 } }],
    });
    expect(await executions.dueTimers(T0 + 20, 10, 'wrk_a')).toMatchObject([
      { executionId: 'ex_1', path: PATH },
    ]);
  });

  test('everyone must respond; each person responds once', async () => {
    const { decisions, executions } = store();
    const asked = decision('dec_1');
    await decisions.request({
      ...asked,
      question: { ...asked.question, policy: 'everyone', required: 3 },
      assignees: [ada, bob, guest],
    });
    expect(await decisions.respond('dec_1', response('usr_ada'))).toMatchObject({
      decision: { status: 'open' },
    });
    expect(await decisions.respond('dec_1', response('usr_ada', 'rejected'))).toMatchObject({
      kind: 'responded',
      decision: { status: 'open' },
    });
    await decisions.respond('dec_1', response('usr_bob'));
    expect(await executions.readSignal('usr_a', 'ex_1', PATH)).toBeNull();
    expect(
      await decisions.respond('dec_1', response(guest.assignee, 'approved', { channel: 'link' })),
    ).toMatchObject({
      decision: { status: 'decided', choice: 'approved' },
    });
  });

  test('simultaneous responses make one decision', async () => {
    const { decisions } = store();
    const people = Array.from({ length: 50 }, (_, n) => ({
      assignee: `usr_${n}`,
      email: `${n}@example.com`,
      role: null,
    }));
    await decisions.request(decision('dec_1', { assignees: people }));
    const results = await Promise.all(
      people.map(({ assignee }, n) =>
        decisions.respond('dec_1', response(assignee, n % 2 ? 'approved' : 'rejected')),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'closed')).toHaveLength(49);
  });

  test('others neither see nor respond to a decision', async () => {
    const { decisions } = store();
    await decisions.request(decision('dec_1'));
    expect(await decisions.get('usr_eve', 'dec_1')).toBeNull();
    expect(await decisions.respond('dec_1', response('usr_eve'))).toEqual({ kind: 'missing' });
    // The owner sees it, but was not asked.
    expect(await decisions.get('usr_a', 'dec_1')).toMatchObject({ id: 'dec_1' });
    expect(await decisions.respond('dec_1', response('usr_a'))).toEqual({ kind: 'missing' });
    expect(await decisions.request(decision('dec_3', { ownerId: 'usr_b' }))).toBeNull();
  });

  test('lists contain what a person was asked, or asked, by status and title', async () => {
    const { decisions } = store();
    await decisions.request(decision('dec_1'));
    await decisions.request(decision('dec_2', { executionId: 'ex_2', assignees: [bob] }));
    const ids = async (viewer: string, filter: Parameters<typeof decisions.list>[1]) => {
      const { items, total } = await decisions.list(viewer, filter, 0, 10);
      expect(total).toBe(items.length);
      return items.map(({ id }) => id);
    };
    expect(await ids('usr_bob', { view: 'assigned', isOpen: true })).toEqual(['dec_2', 'dec_1']);
    expect(await ids('usr_ada', { view: 'assigned' })).toEqual(['dec_1']);
    expect(await ids('usr_a', { view: 'owned' })).toEqual(['dec_2', 'dec_1']);
    expect(await ids('usr_a', { view: 'assigned' })).toEqual([]);
    expect(await ids('usr_bob', { view: 'assigned', search: 'EXPENSE DEC_1' })).toEqual(['dec_1']);
    expect(await ids('usr_bob', { view: 'assigned', search: '%' })).toEqual([]);
    await decisions.respond('dec_1', response('usr_bob'));
    expect(await ids('usr_bob', { view: 'assigned', isOpen: true })).toEqual(['dec_2']);
    expect(await ids('usr_bob', { view: 'assigned', isOpen: false })).toEqual(['dec_1']);
    expect((await decisions.list('usr_bob', { view: 'assigned' }, 1, 1)).items).toMatchObject([
      { id: 'dec_1' },
    ]);
  });

  test('the deadline ends an open decision only', async () => {
    const { decisions, executions } = store();
    await decisions.request(decision('dec_1'));
    expect(await decisions.expire('usr_b', 'ex_1', PATH, T0 + 50)).toBeNull();
    expect(await decisions.expire('usr_a', 'ex_1', PATH, T0 + 50)).toMatchObject({ status: 'expired' });
    expect(await decisions.respond('dec_1', response('usr_ada'))).toMatchObject({ kind: 'closed' });
    expect(await executions.readSignal('usr_a', 'ex_1', PATH)).toBeNull();
    await decisions.request(decision('dec_2', { executionId: 'ex_2' }));
    const late = await decisions.respond('dec_2', response('usr_ada', 'approved', { at: T0 + 1_000 }));
    expect(late).toMatchObject({ kind: 'closed', decision: { status: 'expired', closedAt: T0 + 1_000 } });
    await decisions.respond('dec_2', response('usr_ada'));
    expect(await decisions.expire('usr_a', 'ex_2', PATH, T0 + 50)).toMatchObject({ status: 'decided' });
  });

  test('a decision of an ended execution is cancelled, and deleted with it', async () => {
    const { decisions, executions, maintenance } = store();
    await decisions.request(decision('dec_1'));
    await executions.commit([next('ex_1', 1, 1)]);
    expect(await decisions.get('usr_ada', 'dec_1')).toMatchObject({ status: 'cancelled' });
    expect(await decisions.respond('dec_1', response('usr_ada'))).toMatchObject({
      kind: 'closed',
      decision: { status: 'cancelled' },
    });
    expect((await decisions.list('usr_ada', { view: 'assigned', isOpen: true }, 0, 10)).total).toBe(0);
    expect((await decisions.list('usr_ada', { view: 'assigned', isOpen: false }, 0, 10)).total).toBe(1);
    await executions.commit([creation('ex_3')]);
    expect(await decisions.request(decision('dec_3', { executionId: 'ex_3' }))).toBeNull();
    await maintenance.prune(T0 + 2 * HOUR_MS, 100);
    expect(await decisions.get('usr_ada', 'dec_1')).toBeNull();
    expect((await decisions.list('usr_ada', { view: 'assigned' }, 0, 10)).total).toBe(0);
  });

  test('an open decision whose node run has no timer is cancelled, and opened again when the node asks again', async () => {
    const { decisions, executions } = store();
    await decisions.request(decision('dec_1'));
    await decisions.request(decision('dec_2', { executionId: 'ex_2' }));
    await executions.commit([
      next('ex_2', 1, 1, {
        status: 'waiting',
        endTime: null,
        setTimers: [{ path: PATH, dueAt: T0 + 1_000 }],
      }),
    ]);
    expect(await decisions.cancelAbandoned(T0, T0 + 60, 10)).toBe(0);
    expect(await decisions.cancelAbandoned(T0 + 1, T0 + 60, 10)).toBe(1);
    expect(await decisions.get('usr_ada', 'dec_1')).toMatchObject({ status: 'cancelled', closedAt: T0 + 60 });
    expect(await decisions.get('usr_ada', 'dec_2')).toMatchObject({ status: 'open' });
    expect(await decisions.request(decision('dec_1'))).toMatchObject({ status: 'open', closedAt: null });
    expect((await decisions.list('usr_ada', { view: 'assigned', isOpen: true }, 0, 10)).total).toBe(2);
  });

  test('a message is due when its decision is closed, in whatever way', async () => {
    const { decisions, decisionMessages: messages } = store();
    const toMessage = (decisionId: string) => ({ decisionId, channel: 'C1', ts: '1.2' });
    for (const [id, path] of [
      ['dec_1', 'a'],
      ['dec_2', 'b'],
      ['dec_3', 'c'],
    ] as const) {
      await decisions.request(decision(id, { path }));
      await messages.add(toMessage(id), T0);
      await messages.add(toMessage(id), T0);
    }
    expect([await messages.count('dec_1'), await messages.next()]).toEqual([1, null]);
    await decisions.respond('dec_1', response('usr_ada'));
    await decisions.expire('usr_a', 'ex_1', 'b', T0 + 1_000);
    await decisions.cancelAbandoned(T0 + 1, T0 + 2_000, 10);
    expect(await messages.next()).toBe(T0 + 10);
    const due = await messages.due(T0 + 2_000, 10);
    expect(due.map(({ decisionId, dueAt }) => [decisionId, dueAt - T0])).toEqual([
      ['dec_1', 10],
      ['dec_2', 1_000],
      ['dec_3', 2_000],
    ]);
    // After the end, a message of the node is due at once, and one that a person saw is not recorded.
    await messages.add({ ...toMessage('dec_1'), ts: '1.3' }, T0 + 20);
    await messages.add({ ...toMessage('dec_1'), ts: '1.4' }, null);
    expect(await messages.count('dec_1')).toBe(2);

    const [first] = due;
    expect(await messages.claim(first!, T0 + 5_000)).toBe(true);
    expect(await messages.claim(first!, T0 + 6_000)).toBe(false);
    await messages.end(first!, T0 + 4_999, { kind: 'done' });
    await messages.end(first!, T0 + 5_000, { kind: 'retry', failures: 1, next: T0 + 7_000 });
    expect(await messages.due(T0 + 7_000, 10)).toContainEqual({ ...first, failures: 1, dueAt: T0 + 7_000 });
    await messages.claim({ ...first!, dueAt: T0 + 7_000 }, T0 + 8_000);
    await messages.end(first!, T0 + 8_000, { kind: 'done' });
    expect(await messages.count('dec_1')).toBe(1);
    // The decision that was cancelled is opened again, and waits for its end.
    await decisions.request(decision('dec_4', { path: 'c' }));
    expect((await messages.due(T0 + 9_000, 10)).map(({ decisionId }) => decisionId)).toEqual([
      'dec_1',
      'dec_2',
    ]);
  });
}
