import { validate } from '../../contract/validate.ts';
import { createConflictError, createNotFoundError, createValidationError } from '../../contract/errors.ts';
import { isSettled, type LogEntry } from '../../contract/execution.ts';
import { PageQuery, toPage, toPagination } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { ExecuteSchema, LogQuerySchema, RetrySchema } from '../../contract/requests/execution.ts';
import type { Engine, ExecutionView } from '../../engine/engine-api.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkValueLimits } from '../../lib/limits/value-limits.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes, UserNodeTypes } from '../../ports/node-types.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import type { DefinitionValidator } from '../workflows/validate-definition.ts';
import { createRedactedViews } from './redacted-views.ts';
import { createExecutionLists } from './execution-lists.ts';
import { createStarter, createUnreadableError } from './start-execution.ts';
import type {
  ExecutionDetail,
  ExecutionDetails,
  ExecutionResult,
  LogList,
  NodeRunList,
} from './execution-view.ts';
import { followExecution, type EntryReader } from './streams/execution-follower.ts';
import type { ExecutionStreams, FollowStream } from './streams/execution-streams.ts';
import type { StreamPosition } from './streams/stream-position.ts';
import { isFiltered, isWanted, LogTotals, readLogPage } from './log-page.ts';
import { executeKey, startManual, readWait } from './start-manual.ts';
import { requireScope } from '../authorize.ts';
import { checkRetry, KEEP_NOTHING, startRetry } from './start-retry.ts';
import { saveTestDefinition } from './test-definition.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';

export type ExecutionsDeps = {
  executions: ExecutionStore;
  workflows: WorkflowStore;
  engine: Pick<
    Engine,
    | 'start'
    | 'watch'
    | 'stop'
    | 'inspect'
    | 'inspectMany'
    | 'page'
    | 'isLong'
    | 'log'
    | 'logRange'
    | 'planRetry'
  >;
  streams: ExecutionStreams;
  nodeTypes: NodeTypes;
  ownTypes: UserNodeTypes;
  validator: DefinitionValidator;
  events: Pick<Events, 'subscribe'>;
  clock: Clock;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
};

export type Executions = ReturnType<typeof createExecutions>;
/** `replayed`: an earlier request with the same Idempotency-Key started it. */
export type Executed = { execution: ExecutionResult; isReplayed: boolean };

/** Executions. An execution of another owner is NOT_FOUND, like a missing one. */
export function createExecutions(deps: ExecutionsDeps) {
  const { executions, workflows, engine, nodeTypes, clock } = deps;
  const responses = createRedactedViews({ ...deps, readLogs });
  const starter = createStarter(deps);
  const lists = createExecutionLists({ ...deps, views: responses });
  const totals = new LogTotals();

  async function load(ownerId: string, id: string): Promise<ExecutionRow> {
    const row = await executions.get(ownerId, id);
    if (row === null) throw createNotFoundError('execution');
    return row;
  }

  async function readLogs(row: ExecutionRow, input: unknown): Promise<LogList> {
    const query = validate(LogQuerySchema, input);
    const page = toPage(query);
    const redact = await deps.loadRedactor(row.ownerId);
    const range = isFiltered(query) ? null : await engine.logRange(row, page);
    const { entries, total } = range ?? (await readLogPage(row, await engine.log(row), query, page, totals));
    return { entries: entries.map((entry) => redact(entry)), pagination: toPagination(page, total) };
  }

  /** What a retry of an ended execution needs of it. */
  function readRetried(row: ExecutionRow, from: string): Promise<Pick<ExecutionView, 'input' | 'nodes'>> {
    return from === 'start' ? engine.page(row, { offset: 0, limit: 0 }) : engine.inspect(row);
  }

  return {
    /**
     * Runs the newest version of a workflow, whatever its status, or a definition that is not saved. `key` is
     * the Idempotency-Key.
     */
    async execute(
      principal: Principal,
      workflowId: string,
      input: unknown,
      key: string | null,
      traceContext: TraceContext | null = null,
    ): Promise<Executed> {
      requireScope(principal, 'executions:write');
      const given = validate(ExecuteSchema, input);
      const wait = readWait(given.wait);
      const dedupe = key === null ? null : executeKey(workflowId, key, input, clock.now());
      const workflow = await workflows.get(principal.userId, workflowId);
      if (workflow === null) throw createNotFoundError('workflow');
      const { row, definition } =
        given.definition === undefined
          ? { row: workflow, definition: await starter.runnable(workflow, workflow.version) }
          : await saveTestDefinition(deps, principal, workflow, given.definition);
      const request = startManual(row, definition, given, dedupe, nodeTypes, traceContext);
      const { id, isReplay } = await starter.start(request, wait);
      const execution = await load(principal.userId, id)
        .then((started) => responses.result(started))
        .catch((error: unknown) => {
          throw createUnreadableError(error, id);
        });
      return { execution, isReplayed: isReplay };
    },

    list: (principal: Principal, input: unknown) => lists.list(principal, input, null),
    listOfWorkflow: (principal: Principal, workflowId: string, input: unknown) =>
      lists.list(principal, input, workflowId),
    /** Returns the newest retries of the caller's executions, in the order of `ids`. */
    listRetries: (principal: Principal, ids: readonly string[]) => lists.listRetries(principal, ids),

    async get(principal: Principal, id: string): Promise<ExecutionDetail> {
      requireScope(principal, 'executions:read');
      const row = await load(principal.userId, id);
      const [detail, retries] = await Promise.all([
        responses.detail(row),
        lists.listRetries(principal, [id]),
      ]);
      return { ...detail, retries: retries[0] ?? [] };
    },

    async nodes(principal: Principal, id: string, input: unknown): Promise<NodeRunList> {
      requireScope(principal, 'executions:read');
      validate(PageQuery, input);
      return responses.nodes(await load(principal.userId, id), input);
    },

    /** Returns the execution without its contents. */
    async row(principal: Principal, id: string): Promise<ExecutionRow> {
      requireScope(principal, 'executions:read');
      return responses.row(await load(principal.userId, id));
    },

    /**
     * Returns the newest `limit` executions of each workflow in few statements; none for workflows of other
     * owners.
     */
    async listNewest(
      principal: Principal,
      workflowIds: readonly string[],
      limit: number,
    ): Promise<ExecutionRow[]> {
      requireScope(principal, 'executions:read');
      const { limit: given } = toPage(validate(PageQuery, { limit }));
      return responses.rows(await executions.listNewest(principal.userId, workflowIds, given));
    },

    /** Returns the contents of the caller's executions in few statements, in the order of `rows`. */
    async details(principal: Principal, rows: readonly ExecutionRow[]): Promise<ExecutionDetails[]> {
      requireScope(principal, 'executions:read');
      if (rows.some((row) => row.ownerId !== principal.userId)) throw createNotFoundError('execution');
      return responses.details(principal.userId, rows);
    },

    /** @throws {WeftError} CONFLICT when the execution has ended. */
    async stop(principal: Principal, id: string): Promise<ExecutionResult> {
      requireScope(principal, 'executions:write');
      const stopped = await engine.stop(principal.userId, id);
      if (stopped.kind === 'missing') throw createNotFoundError('execution');
      if (stopped.kind === 'settled') {
        throw createConflictError(`The execution has already ended: it is ${stopped.status}.`, {
          status: stopped.status,
        });
      }
      return responses.result(stopped.row);
    },

    /**
     * Starts a new execution that reuses the results of completed nodes. @throws {WeftError} CONFLICT while
     * the old one runs.
     */
    async retry(
      principal: Principal,
      id: string,
      input: unknown,
      traceContext: TraceContext | null = null,
    ): Promise<ExecutionResult> {
      requireScope(principal, 'executions:write');
      const given = validate(RetrySchema, input);
      const row = await load(principal.userId, id);
      if (!isSettled(row.status))
        throw createConflictError(`The execution has not ended yet: it is ${row.status}.`, {
          status: row.status,
        });
      const workflow = await workflows.get(principal.userId, row.workflowId);
      if (workflow === null) throw createNotFoundError('execution');
      const version = given.version === 'current' ? workflow.version : row.workflowVersion;
      const definition = await starter.runnable(workflow, version);
      const from = given.from ?? 'failed';
      const old = { row, view: await readRetried(row, from) };
      checkRetry(old, definition, from, nodeTypes);
      const plan = from === 'start' ? KEEP_NOTHING : await engine.planRetry(row, version, from);
      const request = startRetry(old, workflow, version, from, given.input ?? null, plan, traceContext);
      const kept = {
        given: plan.given,
        failures: plan.failures as unknown as JsonObject,
        loaded: plan.loaded,
      };
      const problem = checkValueLimits(kept, limits.nodeOutputBytes, Infinity);
      if (problem !== null)
        throw createConflictError(`What the finished nodes gave, together, ${problem}: retry from start.`, {
          field: 'from',
        });
      const started = await starter.start(request, 0);
      return responses.result(await load(principal.userId, started.id));
    },

    /** Oldest first. */
    async logs(principal: Principal, id: string, input: unknown): Promise<LogList> {
      requireScope(principal, 'executions:read');
      validate(LogQuerySchema, input);
      return readLogs(await load(principal.userId, id), input);
    },

    /**
     * Replays the log after `skip` entries and follows it until the execution ends; resolves once access is
     * verified.
     */
    async followLogs(
      principal: Principal,
      id: string,
      input: unknown,
      skip: number,
    ): Promise<(reader: EntryReader<LogEntry>) => Promise<void>> {
      requireScope(principal, 'executions:read');
      const query = validate(LogQuerySchema, input);
      for (const field of ['page', 'limit'] as const) {
        if (query[field] !== undefined)
          throw createValidationError([{ field, issue: 'is not for the live log, which gives everything' }]);
      }
      const row = await load(principal.userId, id);
      return async (reader) => {
        const [redact, log] = await Promise.all([deps.loadRedactor(row.ownerId), engine.log(row)]);
        const filtered: EntryReader<LogEntry> = {
          ...reader,
          entry(entry, index) {
            if (index >= skip && isWanted(entry, query)) return reader.entry(redact(entry), index);
          },
        };
        await followExecution(row, filtered, {
          events: deps.events,
          clock,
          async read() {
            // Reads the row first: if it says that the execution has ended, the log that is read afterwards
            // is complete.
            const now = await executions.get(row.ownerId, row.id);
            return now === null ? null : { row: now, ...(await log.next()) };
          },
        });
      };
    },

    /**
     * Sends the events after `after` (null: all) until the end; resolves once access and position are
     * verified.
     */
    async followStream(
      principal: Principal,
      id: string,
      after: StreamPosition | null,
    ): Promise<FollowStream> {
      requireScope(principal, 'executions:read');
      return deps.streams.open(await load(principal.userId, id), after);
    },
  };
}
