import { expect, test } from 'vitest';
import type { Checkpoint } from '../../../ports/store/checkpoint.ts';
import { encodeBatch, decodeBatch } from './batch-codec.ts';

const plain: Checkpoint = {
  executionId: 'ex_1',
  create: null,
  worker: 'wrk_1',
  fence: 3,
  seq: 7,
  events: '[{"e":"run","at":1}]',
  status: 'waiting',
  error: { type: 'network', message: 'no route', node_id: 'a', attempt: 2 },
  progress: 0.5,
  currentNode: 'a',
  startTime: 1,
  endTime: null,
  setTimers: [{ path: 'a', dueAt: 9 }],
  clearTimers: ['b'],
  blobs: ['00ff'],
};
const creation: Checkpoint = {
  ...plain,
  executionId: 'ex_2',
  error: null,
  setTimers: [],
  clearTimers: [],
  blobs: [],
  create: {
    id: 'ex_2',
    ownerId: 'usr_1',
    workflowId: 'wf_1',
    workflowVersion: 4,
    trigger: { type: 'webhook', node_id: 'in' },
    createdAt: 5,
    parentId: null,
    retryOf: 'ex_0',
    retention: 1_000,
    dedupe: { scope: 's', key: 'k', fingerprint: 'f', expiresAt: 8 },
    tick: { workflowId: 'wf_1', nodeId: 'in', due: 5, next: 6 },
  },
};

const file = {
  id: 'file_1',
  hash: '00ff',
  name: 'a.png',
  contentType: 'image/png',
  size: 2,
  createdAt: 5,
};

const turn = {
  thread: { namespace: null, key: 'ada' },
  workflowId: 'wf_1',
  path: 'agent',
  messages: '[]',
  messageCount: 0,
  tokens: 1,
  at: 5,
  expiresAt: null,
};

test('a decoded batch equals the encoded one', () => {
  const batch = [
    plain,
    creation,
    { ...creation, create: { ...creation.create!, dedupe: null, tick: null } },
    { ...creation, create: { ...creation.create!, files: [file] } },
    { ...plain, turns: [turn] },
    {
      ...creation,
      create: {
        ...creation.create!,
        polled: { workflowId: 'wf_1', nodeId: 'in', fence: 3, key: 'k', number: 2 },
      },
    },
    { ...plain, snapshot: { version: 1, data: 'x' } },
    plain,
  ];
  expect(decodeBatch(structuredClone(encodeBatch(batch)))).toEqual(batch);
  expect(decodeBatch(encodeBatch([]))).toEqual([]);
});

test('the list has the layout of redo logs of earlier versions', () => {
  expect(encodeBatch([creation])).toMatchInlineSnapshot(`
    [
      "ex_2",
      "wrk_1",
      3,
      7,
      "[{"e":"run","at":1}]",
      "waiting",
      null,
      0.5,
      "a",
      1,
      null,
      null,
      null,
      null,
      "usr_1",
      "ex_2",
      "wf_1",
      4,
      {
        "node_id": "in",
        "type": "webhook",
      },
      5,
      null,
      "ex_0",
      1000,
      {
        "expiresAt": 8,
        "fingerprint": "f",
        "key": "k",
        "scope": "s",
      },
      {
        "due": 5,
        "next": 6,
        "nodeId": "in",
        "workflowId": "wf_1",
      },
      null,
    ]
  `);
});
