import {
  ExecutionDetailResource,
  ExecutionListResource,
  ExecutionResource,
  LogEntryResource,
  LogListResource,
  NodeRunListResource,
} from '../../contract/resources/execution.ts';
import { createValidationError } from '../../contract/errors.ts';
import { StreamEventResource } from '../../contract/resources/stream.ts';
import { PageQuery } from '../../contract/paging.ts';
import {
  ExecuteSchema,
  ExecutionQuerySchema,
  LogQuerySchema,
  RetrySchema,
} from '../../contract/requests/execution.ts';
import type { Principal } from '../../contract/principal.ts';
import { formatIsoTimeOrNull } from '../../lib/time/iso-time.ts';
import type { Json } from '../../lib/json/json.ts';
import { readTraceContext } from '../../lib/network/trace-context.ts';
import type { ExecutionList } from '../../services/executions/execution-view.ts';
import { readStreamPosition } from '../../services/executions/streams/stream-position.ts';
import type { Executions } from '../../services/executions/executions.service.ts';
import {
  presentExecution,
  presentExecutionDetail,
  presentExecutionSummary,
  presentLogEntry,
  presentNodeRun,
} from '../serializers/execution.ts';
import { createStreamReader } from '../serializers/stream.ts';
import type { EventSink, GuardedContext, Route } from './route.ts';

export function executionRoutes(executions: Executions): Route[] {
  async function presentList(principal: Principal, { rows, pagination, searchedFrom }: ExecutionList) {
    const retries = await executions.listRetries(
      principal,
      rows.map((row) => row.id),
    );
    return {
      executions: rows.map((row, i) => presentExecutionSummary({ row, retries: retries[i] ?? [] })),
      pagination,
      searched_from: formatIsoTimeOrNull(searchedFrom),
    };
  }

  return [
    {
      method: 'POST',
      path: '/workflows/{id}/execute',
      operation: 'executeWorkflow',
      status: 201,
      scope: 'executions:write',
      summary: 'Run a workflow manually',
      response: ExecutionResource,
      errors: ['CONFLICT'],
      body: ExecuteSchema,
      bodyOptional: true,
      requestHeaders: [
        {
          name: 'Idempotency-Key',
          description: 'The same key and body return the same execution for 24 h.',
        },
      ],
      responseHeaders: [{ name: 'Idempotent-Replayed', description: '`true` when the key was used before.' }],
      async handle({ principal, params, body, headers, setHeader }) {
        const key = headers['idempotency-key'];
        if (Array.isArray(key))
          throw createValidationError([{ field: 'Idempotency-Key', issue: 'must not be repeated' }]);
        const { execution, isReplayed } = await executions.execute(
          principal,
          params['id']!,
          body,
          key ?? null,
          readTraceContext(headers),
        );
        if (isReplayed) setHeader('idempotent-replayed', 'true');
        return presentExecution(execution);
      },
    },
    {
      method: 'GET',
      path: '/workflows/{id}/executions',
      operation: 'listWorkflowExecutions',
      status: 200,
      scope: 'executions:read',
      summary: 'List the executions of a workflow, newest first',
      response: ExecutionListResource,
      query: ExecutionQuerySchema,
      async handle({ principal, params, query }) {
        const list = await executions.listOfWorkflow(principal, params['id']!, query);
        return presentList(principal, list);
      },
    },
    {
      method: 'GET',
      path: '/executions',
      operation: 'listExecutions',
      status: 200,
      scope: 'executions:read',
      summary: 'List your executions, newest first',
      response: ExecutionListResource,
      query: ExecutionQuerySchema,
      handle: async ({ principal, query }) => presentList(principal, await executions.list(principal, query)),
    },
    {
      method: 'GET',
      path: '/executions/{id}',
      operation: 'getExecution',
      status: 200,
      scope: 'executions:read',
      summary: 'Get an execution with its first 1,000 node runs',
      response: ExecutionDetailResource,
      handle: async ({ principal, params }) =>
        presentExecutionDetail(await executions.get(principal, params['id']!)),
    },
    {
      method: 'GET',
      path: '/executions/{id}/nodes',
      operation: 'listNodeRuns',
      status: 200,
      scope: 'executions:read',
      summary: 'List the node runs of an execution',
      response: NodeRunListResource,
      errors: ['PAYLOAD_TOO_LARGE'],
      query: PageQuery,
      async handle({ principal, params, query }) {
        const { nodes, pagination } = await executions.nodes(principal, params['id']!, query);
        return { nodes: nodes.map(presentNodeRun), pagination };
      },
    },
    {
      method: 'POST',
      path: '/executions/{id}/stop',
      operation: 'stopExecution',
      status: 200,
      scope: 'executions:write',
      summary: 'Stop an execution',
      response: ExecutionResource,
      errors: ['CONFLICT'],
      handle: async ({ principal, params }) =>
        presentExecution(await executions.stop(principal, params['id']!)),
    },
    {
      method: 'POST',
      path: '/executions/{id}/retry',
      operation: 'retryExecution',
      status: 201,
      scope: 'executions:write',
      summary:
        'Run an execution again from the failed nodes, from the start, from a node or from a place in a body',
      response: ExecutionResource,
      errors: ['CONFLICT'],
      body: RetrySchema,
      bodyOptional: true,
      handle: async ({ principal, params, body, headers }) =>
        presentExecution(await executions.retry(principal, params['id']!, body, readTraceContext(headers))),
    },
    {
      method: 'GET',
      path: '/executions/{id}/logs',
      operation: 'listLogs',
      status: 200,
      scope: 'executions:read',
      summary: 'List the log of an execution, oldest first. Accept: text/event-stream streams it live',
      response: LogListResource,
      query: LogQuerySchema,
      events: LogEntryResource,
      requestHeaders: [
        {
          name: 'Last-Event-ID',
          description: 'For a live log: the id of the last received event. The log resumes after it.',
        },
      ],
      async handle(ctx) {
        if (wantsEvents(ctx)) return streamLog(executions, ctx);
        const { entries, pagination } = await executions.logs(ctx.principal, ctx.params['id']!, ctx.query);
        return { logs: entries.map(presentLogEntry), pagination };
      },
    },
    {
      method: 'GET',
      path: '/executions/{id}/stream',
      operation: 'streamExecution',
      status: 200,
      scope: 'executions:read',
      summary: 'Follow an execution: texts of models, calls of tools, approvals, usage and the end',
      response: 'events',
      events: StreamEventResource,
      requestHeaders: [
        {
          name: 'Last-Event-ID',
          description: 'The id of the last received event. The stream continues after it.',
        },
      ],
      async handle(ctx) {
        const after = readStreamPosition(ctx.headers['last-event-id']);
        const follow = await executions.followStream(ctx.principal, ctx.params['id']!, after);
        return ctx.stream(async (sink) => {
          await follow(createStreamReader(sink));
          sink.close();
        });
      },
    },
  ];
}

function wantsEvents({ headers }: GuardedContext): boolean {
  return (headers.accept ?? '').split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The id of an event is its index in the log, from 0. A client that sends it resumes after that event. */
async function streamLog(executions: Executions, ctx: GuardedContext) {
  const last = ctx.headers['last-event-id'];
  if (last !== undefined && (Array.isArray(last) || !/^\d{1,15}$/.test(last))) {
    throw createValidationError([
      { field: 'Last-Event-ID', issue: 'must be the id of an event of this stream' },
    ]);
  }
  const skip = last === undefined ? 0 : Number(last) + 1;
  const follow = await executions.followLogs(ctx.principal, ctx.params['id']!, ctx.query, skip);
  return ctx.stream(async (sink: EventSink) => {
    await follow({
      entry: (entry, index) => sink.send(presentLogEntry(entry) as Json, undefined, String(index)),
      ready: () => sink.ready(),
      end: (status) => sink.send({ status }, 'end'),
      isClosed: () => sink.closed,
      onClose: (run) => sink.onClose(run),
    });
    sink.close();
  });
}
