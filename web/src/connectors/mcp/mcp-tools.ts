import type { ListMcpToolsInput, McpToolList } from 'weft-client';
import type { NodeType } from '../../canvas/model/catalog.ts';
import type { Entry, JsonObject } from '../../canvas/model/document.ts';
import { createStore } from '../../data/store.ts';
import type { Schema } from '../../node-panel/model/field.ts';
import { isRecord } from '../../node-panel/model/field-path.ts';

export const MCP_NODE = 'mcp_tool';
/** Lists that are kept; the oldest ones are loaded again when they are needed. */
const MAX_LISTS = 50;
export type McpTool = McpToolList['tools'][number];
export type McpServer = Pick<ListMcpToolsInput, 'url' | 'authentication' | 'proxy'>;

/** The lists that were loaded, by server. */
export const mcpLists = createStore<ReadonlyMap<string, McpToolList>>(new Map());

/** The server of a node; null while it has no URL. */
export function readMcpServer({ type, config }: Entry): McpServer | null {
  const { url, authentication, proxy } = config ?? {};
  if (type !== MCP_NODE || typeof url !== 'string' || url.trim() === '') return null;
  return {
    url,
    ...(isRecord(authentication) ? { authentication } : {}),
    ...(typeof proxy === 'string' && proxy !== '' ? { proxy } : {}),
  };
}

export const formatServer = (server: McpServer): string => JSON.stringify(server);

export function rememberList(server: McpServer, list: McpToolList): void {
  const next = new Map(mcpLists.get());
  next.delete(formatServer(server));
  next.set(formatServer(server), list);
  for (const key of next.keys()) {
    if (next.size <= MAX_LISTS) break;
    next.delete(key);
  }
  mcpLists.set(next);
}

/** The tool of a node, if the list of its server is loaded. */
function findMcpTool(entry: Entry): McpTool | undefined {
  const server = readMcpServer(entry);
  const list = server === null ? undefined : mcpLists.get().get(formatServer(server));
  return list?.tools.find(({ name }) => name === entry.config?.['tool']);
}

const typesOfTools = new WeakMap<McpTool, NodeType>();

/** The type of a node with the arguments and the result of its tool. */
export function resolveMcpNodeType(type: NodeType | undefined, entry: Entry): NodeType | undefined {
  const tool = type === undefined || entry.type !== MCP_NODE ? undefined : findMcpTool(entry);
  if (type === undefined || tool === undefined) return type;
  let made = typesOfTools.get(tool);
  if (made === undefined) {
    made = { ...type, config_schema: describeTool(type.config_schema as Schema, tool) as JsonObject };
    typesOfTools.set(tool, made);
  }
  return made;
}

function describeTool(schema: Schema, { input_schema, output_schema }: McpTool): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const { arguments: given } = properties;
  const input = input_schema as Schema;
  const hasFields = Object.keys(input.properties ?? {}).length > 0;
  const output = (schema as Record<string, unknown>)['x-output'];
  const hints = { ...given?.['x-ui'], ...(hasFields ? {} : { advanced: true }) };
  return {
    ...schema,
    properties: {
      ...properties,
      arguments: { ...(hasFields ? input : given), title: given?.title, 'x-ui': hints },
    },
    required: hasFields ? [...required, 'arguments'] : required,
    ...(isRecord(output) && isRecord(output['properties']) && output_schema !== null
      ? { 'x-output': { ...output, properties: { ...output['properties'], result: output_schema } } }
      : {}),
  };
}
