import type { Store } from '../../ports/store.ts';
import type { Checkpoint, NewExecution } from '../../ports/store/checkpoint.ts';
import type { UserRow } from '../../ports/store/accounts/users.ts';
import type { WorkflowChange } from '../../ports/store/workflows.ts';

/** A store under test: `reopen` closes it and opens the same data again. */
export type StoreUnderTest = { readonly store: Store; reopen(): Promise<void>; close(): Promise<void> };
export type OpenStore = () => Promise<StoreUnderTest>;

export const HOUR_MS = 3_600_000;
export const T0 = 1_700_000_000_000;

type Sample = Partial<Omit<Checkpoint, 'create'>> & { create?: Partial<NewExecution> };

/** The first checkpoint of an execution of workflow `wf_a`, ended unless specified otherwise. */
export function creation(id: string, sample: Sample = {}): Checkpoint {
  const { create, ...rest } = sample;
  const createdAt = create?.createdAt ?? T0;
  return {
    executionId: id,
    worker: 'wrk_a',
    fence: 1,
    seq: 0,
    events: `["${id} begins"]`,
    status: 'completed',
    error: null,
    progress: 1,
    currentNode: null,
    startTime: createdAt,
    endTime: createdAt + 5,
    setTimers: [],
    clearTimers: [],
    blobs: [],
    ...rest,
    create: {
      id,
      ownerId: 'usr_a',
      workflowId: 'wf_a',
      workflowVersion: 1,
      trigger: { type: 'manual' },
      createdAt,
      parentId: null,
      retryOf: null,
      retention: HOUR_MS,
      dedupe: null,
      tick: null,
      ...create,
    },
  };
}

/** The first checkpoint of an execution that continues. */
export function beginning(id: string, sample: Sample = {}): Checkpoint {
  return creation(id, { status: 'running', progress: 0, currentNode: 'n1', endTime: null, ...sample });
}

/** A later checkpoint. */
export function next(id: string, fence: number, seq: number, rest: Partial<Checkpoint> = {}): Checkpoint {
  return { ...creation(id), create: null, fence, seq, events: `["${id} ${seq}"]`, ...rest };
}

type ChangeSample = Partial<Omit<WorkflowChange, 'row'>> & { row?: Partial<WorkflowChange['row']> };

export function workflow(id: string, { row, ...rest }: ChangeSample = {}): WorkflowChange {
  return {
    definition: { nodes: [{ id: 'a', type: 'trigger' }], connections: [] },
    expected: null,
    live: { webhooks: [], schedules: [], completionTriggers: [], pollingTriggers: [] },
    ...rest,
    row: {
      id,
      ownerId: 'usr_a',
      name: `Workflow ${id}`,
      description: '',
      status: 'active',
      version: 1,
      activeVersion: 1,
      settings: {},
      tags: [],
      createdAt: T0,
      updatedAt: T0,
      ...row,
    },
  };
}

export function route(workflowId: string, endpoint: string, method = 'POST') {
  const shape = endpoint.replaceAll(/:[^/]+/g, ':');
  return { workflowId, nodeId: 'a', ownerId: 'usr_a', version: 1, method, endpoint, shape };
}

export function schedule(workflowId: string, nodeId: string, nextRunAt: number | null) {
  return {
    workflowId,
    nodeId,
    ownerId: 'usr_a',
    version: 1,
    spec: { interval: '1m' },
    nextRunAt,
    lastError: null,
  };
}

export function user(id: string, fields: Partial<UserRow> = {}): UserRow {
  return {
    id,
    email: `${id}@Example.com`,
    name: id,
    passwordHash: 'hash',
    role: 'member',
    plan: 'standard',
    createdAt: T0,
    ...fields,
  };
}
