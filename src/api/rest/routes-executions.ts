import {
  ExecutionDetailResource,
  ExecutionListResource,
  ExecutionResource,
  LogEntryResource,
  LogListResource,
  NodeRunListResource,
} from '../../contract/resources/execution.ts';
import { validationError } from '../../contract/errors.ts';
import { PageQuery } from '../../contract/paging.ts';
import {
  ExecuteSchema,
  ExecutionQuerySchema,
  LogQuerySchema,
  RetrySchema,
} from '../../contract/requests/execution.ts';
import type { Json } from '../../lib/json/json.ts';
import { readTraceContext } from '../../lib/network/trace-context.ts';
import type { Executions } from '../../services/executions/executions.service.ts';
import {
  presentExecution,
  presentExecutionDetail,
  presentExecutionSummary,
  presentLogEntry,
  presentNodeRun,
} from '../serializers/execution.ts';
import type { EventSink, GuardedContext, Route } from './route.ts';

export function executionRoutes(executions: Executions): Route[] {
  return [
    {
      method: 'POST',
      path: '/workflows/{id}/execute',
      operation: 'executeWorkflow',
      status: 201,
      scope: 'executions:write',
      summary: 'Run a workflow by hand',
      answer: ExecutionResource,
      errors: ['CONFLICT'],
      body: ExecuteSchema,
      bodyOptional: true,
      takesHeaders: [
        {
          name: 'Idempotency-Key',
          description: 'The same key and body answer with the same execution for 24 h.',
        },
      ],
      givesHeaders: [{ name: 'Idempotent-Replayed', description: '`true` when the key was used before.' }],
      async handle({ principal, params, body, headers, setHeader }) {
        const key = headers['idempotency-key'];
        if (Array.isArray(key))
          throw validationError([{ field: 'Idempotency-Key', issue: 'is given more than once' }]);
        const { execution, replayed } = await executions.execute(
          principal,
          params['id']!,
          body,
          key ?? null,
          readTraceContext(headers),
        );
        if (replayed) setHeader('idempotent-replayed', 'true');
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
      answer: ExecutionListResource,
      query: ExecutionQuerySchema,
      async handle({ principal, params, query }) {
        const { rows, pagination } = await executions.listOfWorkflow(principal, params['id']!, query);
        return { executions: rows.map(presentExecutionSummary), pagination };
      },
    },
    {
      method: 'GET',
      path: '/executions',
      operation: 'listExecutions',
      status: 200,
      scope: 'executions:read',
      summary: 'List your executions, newest first',
      answer: ExecutionListResource,
      query: ExecutionQuerySchema,
      async handle({ principal, query }) {
        const { rows, pagination } = await executions.list(principal, query);
        return { executions: rows.map(presentExecutionSummary), pagination };
      },
    },
    {
      method: 'GET',
      path: '/executions/{id}',
      operation: 'getExecution',
      status: 200,
      scope: 'executions:read',
      summary: 'Get one execution with its first 1,000 node runs',
      answer: ExecutionDetailResource,
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
      answer: NodeRunListResource,
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
      answer: ExecutionResource,
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
      summary: 'Run an execution again from where it failed, from the start or from a node',
      answer: ExecutionResource,
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
      summary: 'The log of an execution, oldest first; with Accept: text/event-stream live',
      answer: LogListResource,
      query: LogQuerySchema,
      events: LogEntryResource,
      takesHeaders: [
        {
          name: 'Last-Event-ID',
          description: 'Of a live log: the id of the last event that arrived; it goes on behind it.',
        },
      ],
      async handle(ctx) {
        if (wantsEvents(ctx)) return liveLog(executions, ctx);
        const { entries, pagination } = await executions.logs(ctx.principal, ctx.params['id']!, ctx.query);
        return { logs: entries.map(presentLogEntry), pagination };
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

/** The id of an event is its number in the log, from 0: a client that comes back with it goes on behind it. */
async function liveLog(executions: Executions, ctx: GuardedContext) {
  const last = ctx.headers['last-event-id'];
  if (last !== undefined && (Array.isArray(last) || !/^\d{1,15}$/.test(last))) {
    throw validationError([{ field: 'Last-Event-ID', issue: 'takes the id of an event of this stream' }]);
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
