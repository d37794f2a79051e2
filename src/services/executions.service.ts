import { check } from '../contract/check.ts';
import type { Definition } from '../contract/definition.ts';
import { conflict, notFound, validationError } from '../contract/errors.ts';
import { isSettled, type ExecutionStatus, type ExecutionTrigger } from '../contract/execution.ts';
import { PageQuery, pageOf, paginationOf } from '../contract/paging.ts';
import type { Principal } from '../contract/principal.ts';
import {
  ExecuteSchema,
  ExecutionQuerySchema,
  type ExecutionQuery,
  LogQuerySchema,
  RetrySchema,
} from '../contract/schemas-execution.ts';
import type { Engine, ExecutionEnd, ExecutionView, StartRequest, Watch } from '../engine/engine-port.ts';
import { formatDuration, parseDuration } from '../lib/duration.ts';
import { jsonSize } from '../lib/json-size.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import type { Clock } from '../ports/clock.ts';
import { limits } from '../ports/limits.ts';
import type { Events } from '../ports/events.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import type { DedupeKey } from '../ports/store/checkpoint.ts';
import type { ExecutionFilter } from '../ports/store/execution-reads.ts';
import type { ExecutionRow } from '../ports/store/execution-row.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { WorkflowRow, WorkflowStore } from '../ports/store/workflows.ts';
import { tooMuch, withRetryAfter } from './capacity.ts';
import { fingerprint } from './canonical-json.ts';
import type { FaultFinder } from './definition-faults.ts';
import type {
  ExecutionDetail,
  ExecutionInside,
  ExecutionList,
  ExecutionResult,
  LogList,
  NodeRun,
  NodeRunList,
} from './execution-view.ts';
import { followLog, type LogReader } from './log-follower.ts';
import { isWanted, LogTotals, readLogPage } from './log-page.ts';
import { requireReachedByHand, requireSameEntry } from './entries.ts';
import { requireScope } from './require.ts';
import { issueFaults } from './workflow-rules.ts';

/** ms; the longest `wait` of an execute. */
const MAX_WAIT = 60_000;
/** ms that an Idempotency-Key is kept. */
const KEY_LIFE = 86_400_000;
/** Node runs in the detail of an execution; the others come by pages. */
const MAX_NODES = 1_000;

export type ExecutionsDeps = {
  executions: ExecutionStore;
  workflows: WorkflowStore;
  engine: Pick<Engine, 'start' | 'watch' | 'stop' | 'inspect' | 'inspectMany' | 'log' | 'kept'>;
  nodeTypes: NodeTypes;
  faults: FaultFinder;
  events: Pick<Events, 'subscribe'>;
  clock: Clock;
  /** What hides the values of this owner's secrets. */
  masker(ownerId: string): Promise<<T extends Json>(value: T) => T>;
};

export type Executions = ReturnType<typeof createExecutions>;
export type Executed = { execution: ExecutionResult; replayed: boolean };

/** By the lists that views hold: those of an execution that has ended are shown again and again. */
const fits = new WeakMap<readonly NodeRun[], number>();

/** How many of a view's node runs, from the first and at most those shown at once, find room in one answer: never none. */
function fittingOf(nodes: readonly NodeRun[]): number {
  let count = fits.get(nodes);
  if (count === undefined) fits.set(nodes, (count = fitting(nodes.slice(0, MAX_NODES))));
  return count;
}

/** How many of these, from the first, find room in one answer: never none. */
function fitting(nodes: readonly NodeRun[]): number {
  let left: number = limits.manyValues;
  let count = 0;
  for (const node of nodes) {
    left -= jsonSize(node, left);
    if (left < 0 && count > 0) break;
    count++;
  }
  return count;
}

/** Executions of their owner. Another owner's execution is NOT_FOUND like a missing one. */
export function createExecutions(deps: ExecutionsDeps) {
  const { executions, workflows, engine, faults, clock } = deps;

  async function load(ownerId: string, id: string): Promise<ExecutionRow> {
    const row = await executions.get(ownerId, id);
    if (row === null) throw notFound('execution');
    return row;
  }

  async function masked(
    row: ExecutionRow,
  ): Promise<{ row: ExecutionRow; mask: <T extends Json>(value: T) => T }> {
    const mask = await deps.masker(row.ownerId);
    return {
      row: {
        ...row,
        error: mask(row.error as Json) as typeof row.error,
        trigger: mask(row.trigger as Json) as ExecutionTrigger,
      },
      mask,
    };
  }

  const totals = new LogTotals();

  function insideOf(view: ExecutionView, mask: <T extends Json>(value: T) => T): ExecutionInside {
    return {
      input: () => mask(view.input),
      output: () => mask(view.output),
      nodes(input) {
        const page = pageOf(check(PageQuery, input));
        const nodes = view.nodes.slice(page.offset, page.offset + page.limit);
        if (fitting(nodes) < nodes.length) throw tooMuch(`these ${nodes.length} node runs`);
        return {
          nodes: nodes.map((node) => mask(node as unknown as Json) as unknown as typeof node),
          pagination: paginationOf(page, view.nodes.length),
        };
      },
      logs(input) {
        const query = check(LogQuerySchema, input);
        const page = pageOf(query);
        const wanted = view.logs.filter((entry) => isWanted(entry, query));
        return {
          entries: wanted
            .slice(page.offset, page.offset + page.limit)
            .map((entry) => mask(entry as unknown as Json) as unknown as typeof entry),
          pagination: paginationOf(page, wanted.length),
        };
      },
    };
  }

  async function result(row: ExecutionRow): Promise<ExecutionResult> {
    const [view, shown] = await Promise.all([engine.inspect(row), masked(row)]);
    return { row: shown.row, input: shown.mask(view.input), output: shown.mask(view.output) };
  }

  /** The definition that is to run. @throws {WeftError} VALIDATION_ERROR with all of its faults. */
  async function runnable(row: WorkflowRow, version: number): Promise<Definition> {
    const stored = await workflows.version(row.ownerId, row.id, version);
    if (stored === null) throw notFound('workflow');
    const found = await faults.findStored(row.ownerId, row.id, version, stored.definition);
    const wrong = [...found.form, ...issueFaults(found.issues, stored.definition)];
    if (wrong.length > 0)
      throw validationError(wrong, `The workflow cannot run: ${wrong[0]?.field}: ${wrong[0]?.issue}`);
    return stored.definition;
  }

  /** Waits up to `ms` for the end; null when the time was over first. */
  async function endWithin(watch: Watch, ms: number): Promise<ExecutionEnd | null> {
    let cancel = (): void => {};
    const late = new Promise<null>((resolve) => {
      cancel = clock.after(ms, () => resolve(null));
    });
    try {
      return await Promise.race([watch.ended, late]);
    } finally {
      cancel();
    }
  }

  /** Starts, or finds what the same key started; with `wait` the answer comes when it has ended, or when the time is over. */
  async function start(request: StartRequest, wait: number): Promise<Executed> {
    const started = await engine.start(request).catch((error: unknown) => {
      throw withRetryAfter(error);
    });
    if (started.kind === 'workflow_gone') throw notFound('workflow');
    if (started.kind === 'tick_taken') throw conflict('This tick has run already.');
    if (started.kind === 'duplicate' && started.fingerprint !== request.dedupe?.fingerprint) {
      throw conflict('This Idempotency-Key was used before with another body.', { field: 'Idempotency-Key' });
    }
    const id = started.kind === 'accepted' ? started.id : started.executionId;
    if (started.kind === 'accepted' || wait > 0) {
      const watch = started.kind === 'accepted' ? started.watch : engine.watch(request.ownerId, id);
      if (wait > 0) await endWithin(watch, wait).finally(() => watch.cancel());
      else watch.cancel();
    }
    return {
      execution: await result(await load(request.ownerId, id)),
      replayed: started.kind === 'duplicate',
    };
  }

  async function list(
    principal: Principal,
    input: unknown,
    workflowId: string | null,
  ): Promise<ExecutionList> {
    requireScope(principal, 'executions:read');
    const query: ExecutionQuery = check(ExecutionQuerySchema, input);
    const page = pageOf(query);
    const filter: ExecutionFilter = {};
    const wanted = workflowId ?? query.workflow_id;
    if (wanted !== undefined) filter.workflowId = wanted;
    if (query.status !== undefined) filter.status = query.status as ExecutionStatus;
    if (query.from !== undefined) filter.from = readTime('from', query.from);
    if (query.to !== undefined) filter.to = readTime('to', query.to);
    if (workflowId !== null && (await workflows.get(principal.userId, workflowId)) === null)
      throw notFound('workflow');
    // Another workflow's executions are not in this one's history.
    if (workflowId !== null && query.workflow_id !== undefined && query.workflow_id !== workflowId)
      return { rows: [], pagination: paginationOf(page, 0) };
    const found = await executions.list(principal.userId, filter, page.offset, page.limit);
    const rows = await Promise.all(found.rows.map(async (row) => (await masked(row)).row));
    return { rows, pagination: paginationOf(page, found.total) };
  }

  return {
    /** Runs a workflow by hand: its newest version, whatever its status. `key` is the Idempotency-Key. */
    async execute(
      principal: Principal,
      workflowId: string,
      input: unknown,
      key: string | null,
    ): Promise<Executed> {
      requireScope(principal, 'executions:write');
      const given = check(ExecuteSchema, input);
      const wait = readWait(given.wait);
      const dedupe = key === null ? null : dedupeKey(workflowId, key, input, clock.now());
      const row = await workflows.get(principal.userId, workflowId);
      if (row === null) throw notFound('workflow');
      const definition = await runnable(row, row.version);
      const nodes = new Map(definition.nodes.map((node) => [node.id, node]));
      if (given.until !== undefined && !nodes.has(given.until)) {
        throw validationError([{ field: 'until', issue: `is not a node of the workflow: ${given.until}` }]);
      }
      if (given.until !== undefined) requireReachedByHand(definition, given.until, deps.nodeTypes);
      const pinned: StartRequest['given'] = {};
      for (const [id, output] of Object.entries(given.pins ?? {})) {
        const node = nodes.get(id);
        if (node === undefined)
          throw validationError([{ field: `pins.${id}`, issue: 'is not a node of the workflow' }]);
        const port = deps.nodeTypes.get(node.type, node.version)?.outputs[0]?.name ?? 'out';
        pinned[id] = { [port]: output as Json };
      }
      return start(
        {
          ownerId: row.ownerId,
          workflowId: row.id,
          workflowVersion: row.version,
          settings: row.settings,
          trigger: { type: 'manual' },
          entry: null,
          input: (given.input ?? {}) as JsonObject,
          dedupe,
          tick: null,
          parentId: null,
          retryOf: null,
          given: pinned,
          inputOf: null,
          until: given.until ?? null,
        },
        wait,
      );
    },

    list: (principal: Principal, input: unknown) => list(principal, input, null),
    listOfWorkflow: (principal: Principal, workflowId: string, input: unknown) =>
      list(principal, input, workflowId),

    async get(principal: Principal, id: string): Promise<ExecutionDetail> {
      requireScope(principal, 'executions:read');
      const row = await load(principal.userId, id);
      const [view, shown] = await Promise.all([engine.inspect(row), masked(row)]);
      return {
        row: shown.row,
        input: shown.mask(view.input),
        output: shown.mask(view.output),
        nodes: view.nodes
          .slice(0, fittingOf(view.nodes))
          .map((node) => shown.mask(node as unknown as Json) as unknown as typeof node),
      };
    },

    async nodes(principal: Principal, id: string, input: unknown): Promise<NodeRunList> {
      requireScope(principal, 'executions:read');
      check(PageQuery, input);
      const row = await load(principal.userId, id);
      const [view, { mask }] = await Promise.all([engine.inspect(row), masked(row)]);
      return insideOf(view, mask).nodes(input);
    },

    /** Without what is inside. */
    async row(principal: Principal, id: string): Promise<ExecutionRow> {
      requireScope(principal, 'executions:read');
      return (await masked(await load(principal.userId, id))).row;
    },

    /** The newest `limit` of each of these workflows, in few statements; other owners' workflows have none. */
    async newestOf(
      principal: Principal,
      workflowIds: readonly string[],
      limit: number,
    ): Promise<ExecutionRow[]> {
      requireScope(principal, 'executions:read');
      const { limit: given } = pageOf(check(PageQuery, { limit }));
      const rows = await executions.newestOf(principal.userId, workflowIds, given);
      return Promise.all(rows.map(async (row) => (await masked(row)).row));
    },

    /** What is inside of these executions of the caller, in few statements and in their order. */
    async insides(principal: Principal, rows: readonly ExecutionRow[]): Promise<ExecutionInside[]> {
      requireScope(principal, 'executions:read');
      if (rows.some((row) => row.ownerId !== principal.userId)) throw notFound('execution');
      const [views, mask] = await Promise.all([engine.inspectMany(rows), deps.masker(principal.userId)]);
      return views.map((view) => insideOf(view, mask));
    },

    /** @throws {WeftError} CONFLICT when it has ended. */
    async stop(principal: Principal, id: string): Promise<ExecutionResult> {
      requireScope(principal, 'executions:write');
      const stopped = await engine.stop(principal.userId, id);
      if (stopped.kind === 'missing') throw notFound('execution');
      if (stopped.kind === 'settled') {
        throw conflict(`The execution has already ended: it is ${stopped.status}.`, {
          status: stopped.status,
        });
      }
      return result(stopped.row);
    },

    /** A new execution that keeps what the old one finished. @throws {WeftError} CONFLICT while the old one runs. */
    async retry(principal: Principal, id: string, input: unknown): Promise<ExecutionResult> {
      requireScope(principal, 'executions:write');
      const given = check(RetrySchema, input);
      const old = await load(principal.userId, id);
      if (!isSettled(old.status))
        throw conflict(`The execution has not ended yet: it is ${old.status}.`, { status: old.status });
      const workflow = await workflows.get(principal.userId, old.workflowId);
      if (workflow === null) throw notFound('execution');
      const version = given.version === 'current' ? workflow.version : old.workflowVersion;
      const definition = await runnable(workflow, version);
      const view = await engine.inspect(old);
      const from = given.from ?? 'failed';
      if (from === 'failed' && old.status === 'completed') {
        throw conflict(
          'The execution completed: there is nothing to retry; name a node, or "start", in from.',
          { field: 'from' },
        );
      }
      const again = from === 'start' ? [] : from === 'failed' ? view.failedNodeIds : [from];
      const replaces = (given.input ?? null) as JsonObject | null;
      const entry = old.trigger.node_id ?? null;
      // What arrives at the trigger is the execution's own input.
      const isOfExecution = from === 'start' || from === entry;
      requireSameEntry(definition, from, entry, deps.nodeTypes);
      const runsOfIt = view.nodes.filter((run) => run.nodeId === from);
      if (runsOfIt.length > 0 && runsOfIt.every((run) => run.status === 'skipped')) {
        throw conflict(
          `The node ${from} was skipped: what leads to it went another way, and would again. Name a node before it in from.`,
          { field: 'from' },
        );
      }
      if (replaces !== null && from === 'failed' && again.length !== 1) {
        throw validationError([
          { field: 'input', issue: `needs one node to go to, and ${again.length} failed: name it in from` },
        ]);
      }
      const { execution } = await start(
        {
          ownerId: old.ownerId,
          workflowId: old.workflowId,
          workflowVersion: version,
          settings: workflow.settings,
          trigger: {
            type: 'retry',
            ...(entry === null ? {} : { node_id: entry }),
            execution_id: old.id,
            from,
          },
          entry,
          input: isOfExecution && replaces !== null ? replaces : view.input,
          dedupe: null,
          tick: null,
          parentId: null,
          retryOf: old.id,
          given: from === 'start' ? {} : await engine.kept(old, version, again),
          inputOf:
            !isOfExecution && replaces !== null && again[0] !== undefined
              ? { nodeId: again[0], input: replaces }
              : null,
          until: null,
        },
        0,
      );
      return execution;
    },

    /** Oldest first. */
    async logs(principal: Principal, id: string, input: unknown): Promise<LogList> {
      requireScope(principal, 'executions:read');
      const query = check(LogQuerySchema, input);
      const row = await load(principal.userId, id);
      const [source, { mask }] = await Promise.all([engine.log(row), masked(row)]);
      const page = pageOf(query);
      const { entries, total } = await readLogPage(row, source, query, page, totals);
      return {
        entries: entries.map((entry) => mask(entry as unknown as Json) as unknown as typeof entry),
        pagination: paginationOf(page, total),
      };
    },

    /** Replays the log after `skip` entries and follows it to the execution's end; resolves once permission is clear. */
    async followLogs(
      principal: Principal,
      id: string,
      input: unknown,
      skip: number,
    ): Promise<(reader: LogReader) => Promise<void>> {
      requireScope(principal, 'executions:read');
      const query = check(LogQuerySchema, input);
      for (const field of ['page', 'limit'] as const) {
        if (query[field] !== undefined)
          throw validationError([{ field, issue: 'is not for the live log, which gives everything' }]);
      }
      const row = await load(principal.userId, id);
      return async (reader) => {
        const [mask, log] = await Promise.all([deps.masker(row.ownerId), engine.log(row)]);
        const filtered: LogReader = {
          ...reader,
          entry(entry, index) {
            if (isWanted(entry, query))
              reader.entry(mask(entry as unknown as Json) as unknown as typeof entry, index);
          },
        };
        await followLog(row, skip, filtered, {
          events: deps.events,
          clock,
          async read() {
            // The row first: when it says that the execution has ended, the log that is read after it is whole.
            const now = await executions.get(row.ownerId, row.id);
            return now === null ? null : { row: now, ...(await log.next()) };
          },
        });
      };
    },
  };
}

function readWait(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = parseDuration(text);
  if (ms === null || ms > MAX_WAIT) {
    throw validationError([
      { field: 'wait', issue: `takes a duration up to ${formatDuration(MAX_WAIT)}, such as "10s"` },
    ]);
  }
  return ms;
}

function readTime(field: string, text: string): number {
  const day = text.slice(0, 10);
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  // Date.parse takes 31 November for 1 December.
  if (Number.isNaN(time) || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day))
    throw validationError([{ field, issue: 'takes a time in ISO 8601, such as 2026-01-31T12:00:00Z' }]);
  return time;
}

function dedupeKey(workflowId: string, key: string, body: unknown, now: number): DedupeKey {
  if (key.length === 0 || key.length > 255) {
    throw validationError([{ field: 'Idempotency-Key', issue: 'takes 1 to 255 characters' }]);
  }
  return { scope: `execute:${workflowId}`, key, fingerprint: fingerprint(body), expiresAt: now + KEY_LIFE };
}
