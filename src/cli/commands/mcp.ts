import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';

type ToolOptions = ConnectOptions & {
  readonly connection?: string;
  readonly secret?: string;
  readonly refresh?: boolean;
};

/** A list may take half a minute. */
const LIST_TIMEOUT_MS = 45_000;

/** Lists the tools of an MCP server. */
export async function listMcpTools(
  { client, printer, signal }: RunContext,
  { connection, secret, refresh }: ToolOptions,
  url = '',
): Promise<undefined> {
  const list = await client.mcpTools.list(
    {
      url,
      ...(connection === undefined ? {} : { authentication: { type: 'connection', connection } }),
      ...(secret === undefined
        ? {}
        : { authentication: { type: 'bearer', token: `{{ secrets.${secret} }}` } }),
      ...(refresh === true ? { refresh } : {}),
    },
    { signal, timeout: LIST_TIMEOUT_MS },
  );
  printer.show(list, () => {
    if (list.tools.length === 0) printer.note(`${list.server.title} has no tools.`);
    else
      printer.table(
        [
          { title: 'TOOL', of: (tool) => tool.name },
          { title: 'REPEATABLE', of: (tool) => (tool.repeatable ? 'yes' : 'no') },
          { title: 'ARGUMENTS', of: (tool) => listArguments(tool.input_schema) },
          { title: 'DESCRIPTION', of: (tool) => tool.description, isLoose: true },
        ],
        list.tools,
      );
  });
  return undefined;
}

/** The names of arguments; optional ones with a question mark. */
function listArguments({ properties, required }: Record<string, unknown>): string {
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  return Object.keys((properties ?? {}) as object)
    .map((name) => (needed.has(name) ? name : `${name}?`))
    .join(', ');
}
