import { createHash } from 'node:crypto';
import type { WorkflowTool } from '../../contract/ai/workflow-tool.ts';
import {
  createNotFoundError,
  createValidationError,
  WeftError,
  type FieldError,
} from '../../contract/errors.ts';
import { isSettled, type LogEntry } from '../../contract/execution.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { redactMarkdown } from '../../lib/text/escape-markdown.ts';
import { onAbort } from '../../lib/async/abort.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { findSchemaViolation } from '../../nodes/data/json-schema/json-schema.ts';
import { SchemaWorkError } from '../../nodes/data/json-schema/schema-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import { limits } from '../../ports/limits.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import { requireScope } from '../authorize.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import type { ExecutionResult } from '../executions/execution-view.ts';
import { followExecution } from '../executions/streams/execution-follower.ts';
import type { SignedTokens } from '../signed-tokens.ts';
import { startCall } from '../triggers/start-call.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { QuestionResponse, ToolQuestion, ToolQuestions } from './tool-questions.ts';

/** A call notices a question within this time, also when reading is slow, ms. */
const MAX_PAUSE_MS = 500;
/** The ratio of the pause between searches for questions to the duration of a search, which replays. */
const SEARCH_PAUSE_FACTOR = 10;
/** Distinguishes states from other signed texts. */
const STATE = 'tool-call';

/** The state of a call. `input_required`: the execution waits for its caller. */
export type ToolCallState =
  | { readonly kind: 'ended'; readonly execution: ExecutionResult }
  | {
      readonly kind: 'input_required';
      readonly row: ExecutionRow;
      readonly questions: readonly ToolQuestion[];
    }
  | { readonly kind: 'running'; readonly row: ExecutionRow };

export type FollowOptions = {
  /** How long to wait at most, ms. */
  readonly wait: number;
  /** Ends the wait, not the execution. */
  readonly signal: AbortSignal;
  /** Called for each new entry of the log. `count` begins with 1. */
  readonly onProgress?: (count: number, message: string) => void;
  /** Paths of questions that the caller has declined. */
  readonly declined?: ReadonlySet<string>;
};

export type WorkflowToolsDeps = {
  registry: Pick<ToolRegistry, 'watch' | 'list' | 'find' | 'findStarter'>;
  executions: Pick<ExecutionStore, 'get'>;
  readExecution(principal: Principal, id: string): Promise<ExecutionResult>;
  /** @throws {WeftError} CONFLICT when the execution has ended */
  stopExecution(principal: Principal, id: string): Promise<unknown>;
  engine: Pick<Engine, 'start' | 'watch' | 'log'>;
  questions: ToolQuestions;
  states: SignedTokens;
  events: Pick<Events, 'subscribe'>;
  clock: Clock;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
  /** Reports that a tool cannot start its workflow. */
  failed(problem: TriggerFailure): void;
};

/** Active workflows as tools of models. Each call is an execution, which does not depend on its caller. */
export function createWorkflowTools(deps: WorkflowToolsDeps) {
  const { clock, engine, executions, questions } = deps;

  async function load(principal: Principal, executionId: string): Promise<ExecutionRow> {
    requireScope(principal, 'executions:read');
    const row = await executions.get(principal.userId, executionId);
    if (row === null) throw createNotFoundError('execution');
    return row;
  }

  /** The open questions of an execution that only waits. Another one continues first. */
  async function findQuestions(
    principal: Principal,
    row: ExecutionRow,
    declined: ReadonlySet<string> = new Set(),
  ): Promise<ToolQuestion[]> {
    return row.status === 'waiting' ? findOpenQuestions(principal, row, declined) : [];
  }

  async function findOpenQuestions(
    principal: Principal,
    row: ExecutionRow,
    declined: ReadonlySet<string> = new Set(),
  ): Promise<ToolQuestion[]> {
    const found = await questions.find(principal, row);
    if (found.length === 0) return found;
    const redact = await deps.loadRedactor(row.ownerId);
    return found
      .map((question) => redactQuestion(question, redact))
      .filter(({ path }) => !declined.has(path));
  }

  async function read(
    principal: Principal,
    executionId: string,
    declined?: ReadonlySet<string>,
  ): Promise<ToolCallState> {
    const row = await load(principal, executionId);
    if (isSettled(row.status))
      return { kind: 'ended', execution: await deps.readExecution(principal, executionId) };
    const found = await findQuestions(principal, row, declined);
    return found.length > 0 ? { kind: 'input_required', row, questions: found } : { kind: 'running', row };
  }

  return {
    /** A page of the caller's tools, by name. `after`: the name that the page before returned as `next`. */
    async list(principal: Principal, after: string): Promise<{ tools: WorkflowTool[]; next: string | null }> {
      requireCallScopes(principal);
      const { values, next } = await deps.registry.list(principal.userId, after, limits.mcpToolPage);
      return { tools: values, next };
    },

    /** Calls `changed` when a tool of the caller is activated, changed or deactivated. */
    watch(principal: Principal, changed: () => void): () => void {
      requireCallScopes(principal);
      return deps.registry.watch(principal.userId, changed);
    },

    /** @throws {WeftError} NOT_FOUND */
    async get(principal: Principal, name: string): Promise<WorkflowTool> {
      requireCallScopes(principal);
      return (await deps.registry.find(principal.userId, name)).value;
    },

    /**
     * Starts an execution, or returns the one that the same key started. It is on disk when this resolves.
     * @throws {WeftError} NOT_FOUND; VALIDATION_ERROR for arguments that do not match; CONFLICT for a key
     * with other arguments.
     */
    async start(principal: Principal, name: string, args: JsonObject, key: string | null): Promise<string> {
      requireCallScopes(principal);
      const endpoint = await deps.registry.find(principal.userId, name);
      const violation = findViolation(endpoint.value.inputSchema, args);
      if (violation !== null)
        throw createValidationError([{ ...violation, field: violation.field || 'arguments' }]);
      return startCall(deps, endpoint, {
        kind: 'tool',
        input: args,
        key: key === null ? null : { field: '_meta.weft/idempotencyKey', value: key },
      });
    },

    read,

    /** The tool whose call started an execution; null if there is none. */
    async findTool(principal: Principal, executionId: string): Promise<WorkflowTool | null> {
      requireScope(principal, 'executions:read');
      const row = await executions.get(principal.userId, executionId);
      return row === null ? null : deps.registry.findStarter(row);
    },

    /** Waits until the execution ends or asks its caller. After the time limit, the execution continues. */
    async follow(
      principal: Principal,
      executionId: string,
      { wait, signal, onProgress, declined }: FollowOptions,
    ): Promise<ToolCallState> {
      const row = await load(principal, executionId);
      let isClosed = signal.aborted;
      let wake = (): void => {};
      const close = (): void => {
        isClosed = true;
        wake();
      };
      const watch = engine.watch(row.ownerId, row.id);
      void watch.ended.then(close, close);
      const cancel = clock.after(wait, close);
      const ignoreAbort = onAbort(signal, close);
      try {
        const [log, redact] = await Promise.all([engine.log(row), deps.loadRedactor(row.ownerId)]);
        let count = 0;
        let nextSearch = 0;
        await followExecution<LogEntry>(
          row,
          {
            entry: (entry) => onProgress?.(++count, redact(entry).message),
            ready: async () => {},
            end() {},
            isClosed: () => isClosed,
            onClose: (run) => (wake = run),
          },
          {
            events: deps.events,
            clock,
            maxPause: MAX_PAUSE_MS,
            async read() {
              // Reads the log first, so that the status is at least as new. A node can begin to wait without
              // an entry of the log.
              const news = await log.next();
              const now = await executions.get(row.ownerId, row.id);
              if (now === null) return null;
              const began = performance.now();
              const isDue = news.entries.length > 0 || began >= nextSearch;
              if (isDue && news.isWhole && now.status === 'waiting') {
                isClosed ||= (await findQuestions(principal, now, declined)).length > 0;
                const ended = performance.now();
                nextSearch = ended + Math.max(MAX_PAUSE_MS, (ended - began) * SEARCH_PAUSE_FACTOR);
              }
              return { row: now, ...news };
            },
          },
        );
      } finally {
        watch.cancel();
        cancel();
        ignoreAbort();
      }
      return read(principal, executionId, declined);
    },

    /**
     * Passes responses to the questions of the execution; returns the paths of those that were declined.
     * Paths of no open question are ignored: they have got a response meanwhile.
     * @throws {WeftError} VALIDATION_ERROR for values that do not fit the question; nothing after it is
     * passed on.
     */
    async respond(
      principal: Principal,
      executionId: string,
      responses: ReadonlyMap<string, QuestionResponse>,
    ): Promise<Set<string>> {
      const row = await load(principal, executionId);
      // The execution may just continue with another response.
      const open = isSettled(row.status) ? [] : await findOpenQuestions(principal, row);
      const declined = new Set<string>();
      for (const question of open) {
        const response = responses.get(question.path);
        if (response === undefined) continue;
        if (!(await questions.respond(principal, row, question, response))) declined.add(question.path);
      }
      return declined;
    },

    /** The state of a call that asks its caller, which the caller returns with its responses. */
    createState: (row: ExecutionRow, asked: readonly ToolQuestion[]): string =>
      deps.states.create([STATE, row.ownerId, row.id, hashPaths(asked)]),

    /** The execution of such a state; null for a state that was not created for the caller. */
    readState(principal: Principal, state: string): string | null {
      const [kind, ownerId, executionId] = deps.states.read(state) ?? [];
      return kind === STATE && ownerId === principal.userId ? (executionId ?? null) : null;
    },

    /** What is wrong with the output of the tool; null if it matches the schema, or there is none. */
    findOutputIssue({ outputSchema }: WorkflowTool, output: Json): string | null {
      const violation = outputSchema === null ? null : findViolation(outputSchema, output);
      return violation === null ? null : `${violation.field || 'output'}: ${violation.issue}`;
    },

    /** Stops the execution, unless it has ended. */
    async stop(principal: Principal, executionId: string): Promise<void> {
      const row = await load(principal, executionId);
      if (isSettled(row.status)) return;
      await deps.stopExecution(principal, executionId).catch((error: unknown) => {
        // It has ended meanwhile.
        if (!(error instanceof WeftError && error.code === 'CONFLICT')) throw error;
      });
    },
  };
}

export type WorkflowTools = ReturnType<typeof createWorkflowTools>;

/** A call starts an execution and reads its result: without one of the rights, nothing is started. */
function requireCallScopes(principal: Principal): void {
  requireScope(principal, 'executions:write');
  requireScope(principal, 'executions:read');
}

/** Makes the states of different rounds differ. */
function hashPaths(asked: readonly ToolQuestion[]): string {
  const paths = asked.map(({ path }) => path).join(' ');
  return createHash('sha256').update(paths).digest('base64url').slice(0, 16);
}

function redactQuestion(question: ToolQuestion, redact: JsonRedactor): ToolQuestion {
  if (question.kind === 'event') return question;
  const { decision } = question;
  const { title, question: asked } = decision;
  const { message } = asked;
  const redacted = {
    ...redact(asked),
    message: message === null ? null : redactMarkdown(message, (text) => redact(text)),
  };
  return { ...question, decision: { ...decision, title: redact(title), question: redacted } };
}

function findViolation(schema: JsonObject, value: Json): FieldError | null {
  try {
    return findSchemaViolation(schema, value);
  } catch (error) {
    if (error instanceof SchemaWorkError) return { field: '', issue: error.message };
    throw error;
  }
}
