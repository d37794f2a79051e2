import { Type, type Static } from 'typebox';
import type { McpServer, McpTool } from '../../contract/ai/mcp.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { listNamedConnections } from '../http/authentication.ts';
import { done, invalid, invalidFields } from '../outcome.ts';
import { closed, mapOf, oneOfTexts } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { validateJson } from '../validate-config.ts';
import {
  createServer,
  serverFields,
  serverSecrets,
  serverTemplates,
  URL_ISSUE,
  validateServer,
  type ServerConfig,
} from './mcp-fields.ts';
import { describeToolError, saveResult } from './mcp-result.ts';

/** Tools that an error names. */
const MAX_NAMED = 20;

const config = closed({
  ...serverFields,
  tool: Type.String({
    minLength: 1,
    maxLength: 256,
    title: 'Tool',
    ...ui({ order: 3, hint: '', placeholder: 'get-weather' }),
    description: 'The name of a tool of the server. It is not a template.',
  }),
  arguments: Type.Optional(
    mapOf(Type.Unsafe<Json>({}), {
      title: 'Arguments',
      ...ui({ order: 4, hint: '' }),
      description: 'The arguments of the tool. They are checked against its schema before the call.',
    }),
  ),
  afterCrash: Type.Optional(
    oneOfTexts(['auto', 'repeat', 'fail'], {
      default: 'auto',
      title: 'After a crash',
      ...ui({
        advanced: true,
        labels: { auto: 'As the tool states', repeat: 'Call it again', fail: 'Fail' },
      }),
      description:
        'What happens if the service stops while the tool runs. auto calls the tool again if the server states that it is read-only or idempotent, and otherwise fails with interrupted.',
    }),
  ),
});
type Config = Static<typeof config> & ServerConfig;

export const mcpTool = defineNode({
  type: 'mcp_tool',
  version: '1.0.0',
  name: 'MCP tool',
  category: 'connector',
  description:
    'Calls a tool of an MCP server over streamable HTTP. The result is {result, files, links}: result is the structured content, otherwise the text, parsed if it is JSON. Images, audio and embedded resources become files. If the tool reports an error, the node fails with client_error and the words of the tool. Progress and messages of the server are in the log.',
  icon: 'blocks',
  keywords: [
    'mcp',
    'mcp client',
    'model context protocol',
    'tool',
    'server',
    'ai',
    'agent',
    'call tool',
    'connector',
  ],
  config,
  output: Type.Object({
    result: Type.Unknown(),
    files: Type.Array(
      Type.Object({
        $file: Type.Object({
          id: Type.String(),
          name: Type.String({ examples: ['image-1.png'] }),
          content_type: Type.String({ examples: ['image/png'] }),
          size: Type.Integer(),
        }),
      }),
    ),
    links: Type.Array(
      Type.Object({
        uri: Type.String(),
        name: Type.String(),
        description: Type.Union([Type.String(), Type.Null()]),
        content_type: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  }),
  templates: { ...serverTemplates, tool: 'literal', afterCrash: 'literal' },
  outputs: [{ name: 'out', type: 'object', description: '{result, files, links}' }],
  effects: 'external',
  secrets: { ...serverSecrets, arguments: 'request' },
  keepsTime: true,
  check: validateServer,
  connections: listNamedConnections,
  async run(ctx, given) {
    const server = createServer(ctx, given);
    if (server === null) return invalid('url', URL_ISSUE);
    try {
      return await callTool(ctx, server, given);
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      throw error;
    }
  },
  examples: [
    {
      title: 'Ask for the weather',
      config: {
        url: 'https://mcp.example.com/mcp',
        authentication: { type: 'bearer', token: '{{ secrets.WEATHER_TOKEN }}' },
        tool: 'get-weather',
        arguments: { city: '{{ input.city }}' },
      },
      input: { city: 'Oslo' },
      outputs: { out: { result: { temperature: 7, conditions: 'cloudy' }, files: [], links: [] } },
    },
    {
      title: 'Create an issue with a connected account, never twice',
      config: {
        url: 'https://mcp.example.com/mcp',
        authentication: { type: 'connection', connection: 'TRACKER' },
        tool: 'create_issue',
        arguments: { title: '{{ input.title }}' },
        afterCrash: 'fail',
      },
      input: { title: 'The till is slow' },
      outputs: { out: { result: { number: 17 }, files: [], links: [] } },
    },
  ],
});

async function callTool(ctx: NodeContext, server: McpServer, given: Config): Promise<Outcome> {
  const tool = await findTool(ctx, server, given.tool);
  if ('kind' in tool) return tool;
  const isRepeatable = mayRepeat(tool, given.afterCrash);
  if (ctx.interruptions > 0 && !isRepeatable)
    return createInterruption(
      `The service stopped while ${tool.name} ran. It may have had its effect, so it was not called again.`,
    );
  if (tool.needsTask) return invalid('tool', `must not be ${tool.name}: it only runs as a task`);
  const args = given.arguments ?? {};
  const errors = validateJson(tool.inputSchema, args);
  if (errors.length > 0)
    return invalidFields(
      errors.map(({ field, issue }) => ({
        field: field === '' ? 'arguments' : `arguments${field.startsWith('[') ? '' : '.'}${field}`,
        issue,
      })),
    );
  const result = await ctx.mcp.callTool(server, { tool: tool.name, arguments: args });
  if (result.isError)
    return {
      kind: 'failed',
      error: {
        type: 'client_error',
        message: describeToolError(tool.name, result),
        data: { tool: tool.name, result: result.structuredContent },
      },
    };
  try {
    return done(await saveResult(ctx, result));
  } catch (error) {
    // While the storage is unavailable, the attempt would be repeated, and the call with it.
    if (isRepeatable || error instanceof HttpFailure) throw error;
    return createInterruption(`${tool.name} was called, but the files of its result could not be saved.`);
  }
}

/** The tool from the cached list, or from a new one if that does not have it. */
async function findTool(ctx: NodeContext, server: McpServer, name: string): Promise<McpTool | Outcome> {
  const known = await ctx.mcp.listTools(server);
  const isTool = (tool: McpTool): boolean => tool.name === name;
  const found = known.tools.find(isTool);
  if (found !== undefined) return found;
  const { tools } = await ctx.mcp.listTools(server, { refresh: true });
  const added = tools.find(isTool);
  if (added !== undefined) return added;
  const names = tools.slice(0, MAX_NAMED).map((tool) => tool.name);
  return invalid(
    'tool',
    names.length === 0
      ? 'must be a tool of the server, which has none'
      : `must be a tool of the server: ${names.join(', ')}${tools.length > MAX_NAMED ? ' …' : ''}`,
  );
}

/** Whether a call may be made again although it may have had its effect. */
function mayRepeat(
  { isReadOnly, isIdempotent }: McpTool,
  afterCrash: Config['afterCrash'] = 'auto',
): boolean {
  return afterCrash === 'repeat' || (afterCrash === 'auto' && (isReadOnly || isIdempotent));
}

function createInterruption(message: string): Outcome {
  return { kind: 'failed', error: { type: 'interrupted', message, retryable: false } };
}
