import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOperationEntries } from '../../connectors/load-operations.ts';
import { MCP_NODE, readMcpServer, formatServer, type McpServer } from '../../connectors/mcp/mcp-tools.ts';
import { createMcpToolsQuery } from '../../connectors/mcp/use-mcp-tools.ts';
import { readNodeOperation, resolveNodeType } from '../../connectors/operation-types.ts';
import { createOperationQuery } from '../../connectors/use-operations.ts';
import { client } from '../../data/client.ts';
import { queryClient } from '../../data/query-client.ts';
import { isContainer } from '../model/structure.ts';
import type { Catalog } from '../model/catalog.ts';
import type { Doc, JsonObject } from '../model/document.ts';
import { listPaletteEntries, parseEntryId, type PaletteEntry } from '../model/palette-entries.ts';
import type { Searchable } from '../model/search.ts';
import { createNodeDraft, createStatedDraft, type ToolDraft } from './tool-draft.ts';
import { t } from '../../i18n/index.ts';

/** What can become a tool. `load` returns the tool with its arguments. */
export type ToolChoice = Searchable & {
  readonly group: string;
  readonly load: () => Promise<ToolDraft>;
};

const PAGE_SIZE = 100;
const MAX_AGE_MS = 60_000;
/** Servers of one workflow whose tools are offered. */
const MAX_SERVERS = 10;
/** Node types that only make sense at their place in a workflow. */
const NO_TOOLS = new Set(['approval', 'error_handler', 'respond', 'sub_workflow']);

/** The workflows, node types and tools of MCP servers that an agent can use. */
export function useToolChoices(
  doc: Doc,
  catalog: Catalog,
  workflowId: string,
  url: string | null,
): { choices: readonly ToolChoice[]; error: unknown } {
  const workflows = useQuery({
    queryKey: ['workflows', 'tools'],
    queryFn: async ({ signal }) => (await client.workflows.list({ limit: PAGE_SIZE }, { signal })).workflows,
    staleTime: MAX_AGE_MS,
  });
  const operations = useOperationEntries(catalog);
  const servers = useMemo(() => listServers(doc, url), [doc, url]);
  const lists = useQueries({ queries: servers.map((server) => createMcpToolsQuery(server)) });
  const choices = [
    ...(workflows.data ?? [])
      .filter(({ id }) => id !== workflowId)
      .map(({ id, name, description }) => createWorkflowChoice(id, name, description ?? '')),
    ...lists.flatMap(({ data }, i) => (data?.tools ?? []).map((tool) => createMcpChoice(servers[i]!, tool))),
    ...[...listPaletteEntries(catalog), ...operations]
      .filter(isTool)
      .map((entry) => createNodeChoice(entry, catalog)),
  ];
  return { choices, error: lists.find(({ error }) => error !== null)?.error ?? workflows.error };
}

function listServers(doc: Doc, url: string | null): McpServer[] {
  const servers = new Map<string, McpServer>();
  const given = url === null ? [] : [{ url }];
  const used = [...doc.nodes.values()].flatMap((entry) => readMcpServer(entry) ?? []);
  for (const server of [...given, ...used])
    if (servers.size < MAX_SERVERS) servers.set(formatServer(server), server);
  return [...servers.values()];
}

const isTool = ({ category, type }: PaletteEntry): boolean =>
  category !== 'trigger' && type.id !== MCP_NODE && !NO_TOOLS.has(type.id) && !isContainer(type.id);

function createNodeChoice(
  { id, title, detail, keywords, group }: PaletteEntry,
  catalog: Catalog,
): ToolChoice {
  return {
    id: `node:${id}`,
    title,
    detail,
    keywords,
    group,
    load: async () => {
      const { type: typeId, config } = parseEntryId(id);
      const entry = { id: '', type: typeId, config };
      const type = catalog.get(typeId);
      if (type === undefined) throw new Error(t('This node type does not exist.'));
      const operation = readNodeOperation(type, entry);
      if (operation !== null) await queryClient.fetchQuery(createOperationQuery(type, operation));
      return createNodeDraft(resolveNodeType(catalog, entry) ?? type, title, config);
    },
  };
}

function createWorkflowChoice(id: string, name: string, description: string): ToolChoice {
  return {
    id: `workflow:${id}`,
    title: name,
    detail: description,
    keywords: [],
    group: t('Workflows'),
    load: async () => {
      const { definition } = await client.workflows.get(id);
      const nodes = (definition as { nodes: readonly { config?: JsonObject }[] }).nodes;
      const trigger = nodes.find(({ config }) => config?.['triggerType'] === 'tool')?.config ?? {};
      const { description: stated, inputSchema } = trigger;
      return createStatedDraft({
        title: typeof trigger['name'] === 'string' ? trigger['name'] : name,
        description: typeof stated === 'string' && stated !== '' ? stated : description,
        type: 'sub_workflow',
        config: { workflow_id: id },
        parameters: (inputSchema ?? { type: 'object' }) as JsonObject,
      });
    },
  };
}

function createMcpChoice(
  server: McpServer,
  {
    name,
    title,
    description,
    input_schema: parameters,
  }: Awaited<ReturnType<ReturnType<typeof createMcpToolsQuery>['queryFn']>>['tools'][number],
): ToolChoice {
  return {
    id: `mcp:${formatServer(server)}:${name}`,
    title: title === '' ? name : title,
    detail: description,
    keywords: [name],
    group: t('Tools of {{name}}', { name: URL.parse(server.url)?.host ?? server.url }),
    load: () =>
      Promise.resolve(
        createStatedDraft({
          title: name,
          description: description === '' ? title : description,
          type: MCP_NODE,
          config: { ...(server as JsonObject), tool: name, arguments: '{{ input }}' },
          parameters: parameters as JsonObject,
        }),
      ),
  };
}
