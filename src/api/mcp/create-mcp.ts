import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type AuthInfo,
  type ListToolsResult,
  type McpHttpHandler,
  type McpRequestContext,
  type Result,
  type ServerContext,
  type ServerEventBus,
  type Tool,
} from '@modelcontextprotocol/server';
import { OWN_TOOL_PREFIX, type WorkflowTool } from '../../contract/ai/workflow-tool.ts';
import { isServerError, WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { hasScope } from '../../services/authorize.ts';
import type { Files } from '../../services/executions/files.service.ts';
import { readCall, TASKS_EXTENSION, type McpCall } from './mcp-call.ts';
import { acceptsNotifications, createNotificationStream } from './notification-stream.ts';
import { createOwnTools, describeOwnTool, toJsonObject, type OwnToolServices } from './own-tools.ts';
import { createTasksUnsupportedError } from './tasks.ts';
import { toErrorResult, createValueResult } from './tool-result.ts';
import { createWorkflowCalls } from './workflow-calls.ts';

const INSTRUCTIONS =
  'The tools are workflows of this service, and tools beginning with weft_ that build, run and explain workflows. A call of a workflow continues if its client leaves: ask for the result instead of calling again.';

export type McpOptions = {
  readonly services: OwnToolServices & { readonly files: Pick<Files, 'get'> };
  readonly version: string;
  /** The public URL, ending with /v1. */
  baseUrl(): string;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  onError(error: unknown): void;
};

/** The server of the Model Context Protocol: the versions 2026-07-28 and, without sessions, those before. */
export function createMcp(options: McpOptions): Pick<McpHttpHandler, 'fetch'> {
  const { services, version, stopping } = options;
  const ownTools = createOwnTools(services);
  const calls = createWorkflowCalls({
    tools: services.workflowTools,
    reader: {
      files: services.files,
      get baseUrl() {
        return options.baseUrl();
      },
    },
  });

  /** Weft's own tools are on the last page. */
  async function listTools(
    principal: Principal,
    cursor: string,
    isEarlier: boolean,
  ): Promise<ListToolsResult> {
    const page = mayCall(principal)
      ? await services.workflowTools.list(principal, cursor)
      : { tools: [], next: null };
    const tools = page.tools.map((tool) => describeWorkflowTool(tool, isEarlier));
    if (page.next !== null) return { tools, nextCursor: page.next };
    const own = ownTools.filter(({ scopes }) => scopes.every((scope) => hasScope(principal, scope)));
    return { tools: [...tools, ...own.map(describeOwnTool)] };
  }

  async function callOwnTool(call: McpCall, name: string, args: JsonObject) {
    const tool = ownTools.find((one) => one.name === name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    try {
      return createValueResult(toJsonObject(await tool.run(call, args)));
    } catch (error) {
      return toErrorResult(error);
    }
  }

  /** Errors of the service are logged, and sent without their cause. */
  async function protect<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (error instanceof WeftError) {
        if (isServerError(error.code)) options.onError(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, error.message, { code: error.code });
      }
      options.onError(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'An internal error occurred.');
    }
  }

  function createServer({ authInfo, era }: McpRequestContext): Server {
    const principal = readPrincipal(authInfo);
    const isEarlier = era === 'legacy';
    const server = new Server(
      { name: 'weft', title: 'Weft', version },
      {
        capabilities: {
          tools: { listChanged: true },
          ...(isEarlier
            ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } }
            : { extensions: { [TASKS_EXTENSION]: {} } }),
        },
        instructions: INSTRUCTIONS,
        inputRequired: { legacyShim: false },
      },
    );
    const read = (context: ServerContext): McpCall => readCall(principal, context, isEarlier, stopping);
    server.setRequestHandler('tools/list', ({ params }) =>
      protect(() => listTools(principal, params?.cursor ?? '', isEarlier)),
    );
    server.setRequestHandler('tools/call', ({ params }, context) =>
      protect(async () => {
        const { name } = params;
        const args = (params.arguments ?? {}) as JsonObject;
        const call = read(context);
        const isTask = isEarlier && 'task' in params && params.task !== undefined;
        if (name.startsWith(OWN_TOOL_PREFIX)) {
          if (isTask) throw createTasksUnsupportedError(name);
          return callOwnTool(call, name, args);
        }
        if (isTask) return calls.startTask(call, name, args);
        return calls.call(call, name, args, context.mcpReq.requestState());
      }),
    );
    for (const [name, run] of Object.entries(isEarlier ? calls.earlierTasks : calls.tasks))
      server.setRequestHandler(`tasks/${name}`, { params: anyParams }, (params, context): Promise<Result> =>
        protect(() => run(read(context), params)),
      );
    return server;
  }

  /** The changes that a caller may see. */
  const createBus = (principal: Principal): ServerEventBus => ({
    publish() {},
    subscribe: (listener) =>
      mayCall(principal)
        ? services.workflowTools.watch(principal, () => listener({ kind: 'tools_list_changed' }))
        : () => {},
  });
  const createHandler = (bus?: ServerEventBus): McpHttpHandler =>
    createMcpHandler(createServer, {
      // `protect` reports the errors of the service; these are of clients.
      onerror: () => {},
      ...(bus !== undefined && { bus }),
    });

  const handler = createHandler();
  return {
    fetch(request, requestOptions) {
      const principal = readPrincipal(requestOptions?.authInfo);
      if (isListenRequest(requestOptions?.parsedBody))
        return createHandler(createBus(principal)).fetch(request, requestOptions);
      if (request.method === 'GET' && acceptsNotifications(request) && mayCall(principal))
        return Promise.resolve(
          createNotificationStream(request.signal, stopping, (changed) =>
            services.workflowTools.watch(principal, changed),
          ),
        );
      return handler.fetch(request, requestOptions);
    },
  };
}

const mayCall = (principal: Principal): boolean =>
  hasScope(principal, 'executions:write') && hasScope(principal, 'executions:read');

const isListenRequest = (message: unknown): boolean =>
  typeof message === 'object' &&
  message !== null &&
  'method' in message &&
  message.method === 'subscriptions/listen';

function readPrincipal(authInfo: AuthInfo | undefined): Principal {
  const principal = authInfo?.extra?.['principal'] as Principal | undefined;
  if (principal === undefined) throw new WeftError('UNAUTHORIZED');
  return principal;
}

/** The handlers read the parameters themselves. */
const anyParams = {
  '~standard': {
    version: 1 as const,
    vendor: 'weft',
    validate: (value: unknown) => ({ value }),
  },
};

function describeWorkflowTool(tool: WorkflowTool, isEarlier: boolean): Tool {
  const { name, title, description, inputSchema, outputSchema, taskSupport } = tool;
  return {
    name,
    ...(title !== null && { title }),
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema !== null && { outputSchema: outputSchema as NonNullable<Tool['outputSchema']> }),
    annotations: {
      readOnlyHint: tool.isReadOnly,
      destructiveHint: tool.isDestructive,
      idempotentHint: tool.isIdempotent,
    },
    ...(isEarlier && { execution: { taskSupport } }),
  };
}
