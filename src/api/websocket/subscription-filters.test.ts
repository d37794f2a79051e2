import { describe, expect, test } from 'vitest';
import type { SocketClient } from '../../../test/support/websocket/websocket-client.ts';
import { useWebSocketFixture } from '../../../test/support/websocket/websocket-fixture.ts';

const fixture = useWebSocketFixture();

describe('subscriptions', () => {
  /** Which of these executions the client receives. */
  async function received(
    client: SocketClient,
    userId: string,
    updates: [string, string][],
  ): Promise<string[]> {
    const before = client.messages.length;
    for (const [executionId, workflowId] of updates)
      fixture.server.publish(userId, { executionId, workflowId });
    // Notifications are never filtered, and arrive after the updates published before them.
    fixture.server.bus.publish({
      kind: 'notification',
      ownerId: userId,
      level: 'info',
      message: 'that was all',
      timestamp: 0,
    });
    await client.next('notification');
    return client.messages
      .slice(before)
      .filter(({ type }) => type === 'execution_update')
      .map((message) => message.data?.['execution_id'] as string);
  }

  test('several subscriptions add up, unsubscribe removes one, and without any all events arrive', async () => {
    const userId = await fixture.server.user();
    const [one, two] = [await fixture.server.owned(userId), await fixture.server.owned(userId)];
    const client = await fixture.connectAuthenticated(userId);
    const all: [string, string][] = [
      [one.executionId, one.workflowId],
      ['ex_more', one.workflowId],
      [two.executionId, two.workflowId],
      ['ex_other', two.workflowId],
    ];
    const ids = all.map(([id]) => id);
    expect(await received(client, userId, all)).toEqual(ids);

    client.send({ type: 'subscribe', data: { workflow_id: one.workflowId } });
    expect(await client.next()).toEqual({ type: 'subscribed', data: { workflow_id: one.workflowId } });
    expect(await received(client, userId, all)).toEqual(ids.slice(0, 2));

    client.send({ type: 'subscribe', data: { execution_id: two.executionId } });
    await client.next('subscribed');
    expect(await received(client, userId, all)).toEqual(ids.slice(0, 3));

    client.send({ type: 'unsubscribe', data: { workflow_id: one.workflowId } });
    expect(await client.next()).toEqual({ type: 'unsubscribed', data: { workflow_id: one.workflowId } });
    expect(await received(client, userId, all)).toEqual([two.executionId]);

    // Both ids are a different subscription than the execution alone.
    const both = { workflow_id: two.workflowId, execution_id: two.executionId };
    client.send({ type: 'subscribe', data: both });
    expect((await client.next('subscribed')).data).toEqual(both);
    client.send({ type: 'unsubscribe', data: { execution_id: two.executionId } });
    await client.next('unsubscribed');
    expect(await received(client, userId, all)).toEqual([two.executionId]);

    client.send({ type: 'subscribe', data: {} });
    await client.next('subscribed');
    expect(await received(client, userId, all)).toEqual(ids);
    client.send({ type: 'unsubscribe', data: {} });
    client.send({
      type: 'unsubscribe',
      data: { execution_id: two.executionId, workflow_id: two.workflowId },
    });
    await client.next('unsubscribed');
    await client.next('unsubscribed');
    expect(await received(client, userId, all)).toEqual(ids);
  });

  test('repeated subscriptions count once, and removing an unknown one succeeds', async () => {
    const userId = await fixture.server.user();
    const { workflowId } = await fixture.server.owned(userId);
    const client = await fixture.connectAuthenticated(userId);
    for (const type of ['subscribe', 'subscribe', 'unsubscribe', 'unsubscribe'])
      client.send({ type, data: { workflow_id: workflowId } });
    await client.next('unsubscribed');
    await client.next('unsubscribed');
    expect(await received(client, userId, [['ex_x', 'wf_x']])).toEqual(['ex_x']);
  });

  test('notifications arrive with any subscription', async () => {
    const userId = await fixture.server.user();
    const { workflowId } = await fixture.server.owned(userId);
    const client = await fixture.connectAuthenticated(userId);
    client.send({ type: 'subscribe', data: { workflow_id: workflowId } });
    await client.next('subscribed');
    fixture.server.bus.publish({
      kind: 'notification',
      ownerId: userId,
      level: 'info',
      message: 'm',
      timestamp: 0,
    });
    await client.next('notification');
  });

  test('missing resources and resources of another user get the same error', async () => {
    const [userId, other] = [await fixture.server.user(), await fixture.server.user()];
    const [mine, theirs] = [await fixture.server.owned(userId), await fixture.server.owned(other)];
    const client = await fixture.connectAuthenticated(userId);
    const ask = async (data: object): Promise<unknown> => {
      client.send({ type: 'subscribe', data });
      return (await client.next()).data;
    };
    const workflow = { code: 'NOT_FOUND', message: 'The workflow does not exist.', details: {} };
    const execution = { code: 'NOT_FOUND', message: 'The execution does not exist.', details: {} };
    expect(await ask({ workflow_id: 'wf_none' })).toEqual(workflow);
    expect(await ask({ workflow_id: theirs.workflowId })).toEqual(workflow);
    expect(await ask({ execution_id: 'ex_none' })).toEqual(execution);
    expect(await ask({ execution_id: theirs.executionId })).toEqual(execution);
    const another = await fixture.server.owned(userId);
    expect(await ask({ workflow_id: mine.workflowId, execution_id: another.executionId })).toEqual(execution);
    expect(await received(client, userId, [['ex_x', 'wf_x']])).toEqual(['ex_x']);
  });

  test('at most 100 subscriptions are accepted', async () => {
    const userId = await fixture.server.user();
    const client = await fixture.connectAuthenticated(userId);
    const ids: string[] = [];
    for (let i = 0; i < 101; i++) ids.push((await fixture.server.owned(userId)).workflowId);
    for (const id of ids) {
      client.send({ type: 'subscribe', data: { workflow_id: id } });
      fixture.clock.advance(50);
    }
    await client.next('error');
    expect(client.messages.filter(({ type }) => type === 'subscribed')).toHaveLength(100);
    expect(client.messages.at(-1)?.data).toMatchObject({ code: 'CONFLICT', details: { limit: 100 } });
    client.send({ type: 'subscribe', data: { workflow_id: ids[0] } });
    await client.next('subscribed');
  });
});
