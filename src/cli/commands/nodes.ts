import type { Node } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { parseJson, readText } from './input.ts';
import { remove, type DeleteOptions } from './remove.ts';

type NodeOptions = ConnectOptions & {
  readonly category?: Node['category'];
  readonly search?: string;
};

export async function listNodes(context: RunContext, options: NodeOptions): Promise<undefined> {
  const { client, printer, signal } = context;
  const { category, search } = options;
  const { nodes } = await client.nodes.list({ category, search }, { signal });
  printer.show({ nodes }, () => {
    if (nodes.length === 0) printer.note('No node type found.');
    else
      printer.table(
        [
          { title: 'ID', of: (one) => one.id },
          { title: 'VERSION', of: (one) => one.version },
          { title: 'CATEGORY', of: (one) => one.category },
          { title: 'DESCRIPTION', of: (one) => one.description, isLoose: true },
        ],
        nodes,
      );
  });
  return undefined;
}

export async function getNode(context: RunContext, _options: ConnectOptions, id = ''): Promise<undefined> {
  const { client, printer, signal } = context;
  const node = await client.nodes.get(id, { signal });
  printer.show(node, () => {
    printer.record([
      ['node', node.id],
      ['name', node.name],
      ['version', node.version],
      ['category', node.category],
      ['description', node.description],
      ['effects', node.effects],
      ...(node.implementation === null
        ? []
        : [['code', `${node.implementation.size} bytes, sha256 ${node.implementation.sha256}`] as const]),
      ...node.inputs.map((one) => ['input', `${one.name} (${one.type}): ${one.description}`] as const),
      ...node.outputs.map((one) => ['output', `${one.name} (${one.type}): ${one.description}`] as const),
    ]);
    showPackages(context, node);
    const fields = listFields(node.config_schema);
    if (fields.length === 0) return;
    printer.line();
    printer.table(
      [
        { title: 'CONFIG', of: (one) => one.name },
        { title: 'REQUIRED', of: (one) => (one.isRequired ? 'yes' : '') },
        { title: 'DESCRIPTION', of: (one) => one.description, isLoose: true },
      ],
      fields,
    );
  });
  return undefined;
}

/** Prints what was bundled with the handler, for review. */
function showPackages({ printer }: RunContext, { implementation }: Node): void {
  if (implementation === null || implementation.dependencies.length === 0) return;
  printer.line();
  printer.table(
    [
      { title: 'PACKAGE', of: (one) => one.path },
      { title: 'VERSION', of: (one) => one.version },
      { title: 'BYTES', of: (one) => String(one.bundled_size) },
      { title: 'INTEGRITY', of: (one) => one.integrity, isLoose: true },
    ],
    implementation.dependencies,
  );
}

/** Registers a custom node from a file. */
export async function createNode(
  { client, printer, signal, terminal }: RunContext,
  options: ConnectOptions & { readonly file: string },
): Promise<undefined> {
  const body = parseJson(await readText(terminal, options.file), options.file);
  const node = await client.nodes.register(body as Parameters<typeof client.nodes.register>[0], { signal });
  printer.show(node, () => printer.line(`The node ${node.id} ${node.version} is registered.`));
  return undefined;
}

export async function deleteNode(
  context: RunContext,
  options: DeleteOptions,
  id = '',
  version?: string,
): Promise<number | undefined> {
  const what = version === undefined ? `the node ${id}` : `the node ${id} ${version}`;
  return remove(context, options, what, () =>
    context.client.nodes.delete(id, version === undefined ? {} : { version }, { signal: context.signal }),
  );
}

function listFields(
  schema: Record<string, unknown>,
): { name: string; isRequired: boolean; description: string }[] {
  const { properties, required } = schema as {
    properties?: Record<string, { description?: string } | undefined>;
    required?: string[];
  };
  return Object.entries(properties ?? {}).map(([name, field]) => ({
    name,
    isRequired: required?.includes(name) === true,
    description: field?.description ?? '',
  }));
}
