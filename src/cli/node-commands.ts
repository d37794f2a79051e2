import type { Command } from 'commander';
import type { CommandBuilders } from './command-builders.ts';
import { requireServiceNode } from './service-node.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Adds the commands about node types and packs. `finish` gets the exit code. */
export function addNodeCommands(
  program: Command,
  terminal: Terminal,
  finish: (code: number) => void,
  { does, listing, deleting }: CommandBuilders,
): void {
  const nodes = program.command('nodes').alias('node').description('Manage node types');
  const ofNodes = () => import('./commands/nodes.ts');
  does(
    nodes
      .command('list')
      .description('List node types')
      .option('--category <name>')
      .option('--search <text>'),
    async () => (await ofNodes()).listNodes,
  );
  does(
    nodes.command('get').description('Show a node type with its configuration').argument('<id>'),
    async () => (await ofNodes()).getNode,
  );

  does(
    nodes
      .command('create')
      .description('Register a custom node')
      .requiredOption('-f, --file <file>', 'JSON file, or - for standard input'),
    async () => (await ofNodes()).createNode,
  );
  does(
    deleting(
      nodes
        .command('delete')
        .description('Delete a custom node that no workflow uses')
        .argument('<id>')
        .argument('[version]', 'only this version'),
    ),
    async () => (await ofNodes()).deleteNode,
  );
  const ofPacks = () => import('./commands/packs/packs.ts');
  does(
    listing(
      nodes
        .command('packs')
        .description('List the packs: connectors made from documents')
        .option('--search <text>'),
    ),
    async () => (await ofPacks()).listPacks,
  );
  does(
    listing(
      nodes
        .command('operations')
        .description('List the operations of a pack')
        .argument('<pack>')
        .option('--search <text>')
        .option('--pack-version <version>', 'of this version; default: the newest'),
    ),
    async () => (await ofPacks()).listOperations,
  );
  does(
    nodes
      .command('workflows')
      .description('List the workflows of all users that use a pack')
      .argument('<pack>')
      .option('--pack-version <version>', 'that use this version; default: any'),
    async () => (await ofPacks()).listPackWorkflows,
  );
  does(
    nodes
      .command('add')
      .description('Install a pack from an OpenAPI document or an npm package, for all users')
      .argument('<source>', 'a document (a file, a URL, or -), name@version of a package, or its .tgz file')
      .option('--name <name>', 'default: from the title of the document or the name of the package')
      .option('--pack-version <version>', 'default: from the version of the document')
      .option('--integrity <sha512>', 'of the package; required when its registry publishes no signing keys')
      .option('--dry-run', 'only show what would be installed'),
    async () => (await ofPacks()).addPack,
  );
  does(
    deleting(
      nodes
        .command('update')
        .description('Show what changed in a pack, and install it as a new version')
        .argument('<pack>')
        .argument(
          '[source]',
          'as of add, or the version of the package; default: the URL that it was installed from',
        )
        .option('--pack-version <version>', 'default: that of the document, or the next')
        .option(
          '--integrity <sha512>',
          'of the package; required when its registry publishes no signing keys',
        )
        .option('--dry-run', 'only show what changed'),
    ),
    async () => (await ofPacks()).updatePack,
  );
  does(
    deleting(
      nodes
        .command('remove')
        .description('Remove a pack that no workflow was saved with')
        .argument('<pack>')
        .argument('[version]', 'only this version'),
    ),
    async () => (await ofPacks()).removePack,
  );
  const app = nodes
    .command('app')
    .description('Manage the app of a pack, which sends the events of all accounts to one address');
  const ofApps = () => import('./commands/packs/pack-apps.ts');
  does(
    app.command('get').description('Show the address to enter at the service').argument('<pack>'),
    async () => (await ofApps()).getPackApp,
  );
  does(
    app
      .command('set')
      .description('Enter the signing secret of the app, from standard input or a prompt')
      .argument('<pack>'),
    async () => (await ofApps()).setPackApp,
  );
  does(
    deleting(
      app
        .command('delete')
        .description('Delete the app, when no active trigger receives its events')
        .argument('<pack>'),
    ),
    async () => (await ofApps()).deletePackApp,
  );
  does(
    nodes
      .command('tools')
      .description('List the tools of an MCP server')
      .argument('<url>', 'of the server, with the transport streamable HTTP')
      .option('--connection <name>', 'authenticate with this connection')
      .option('--secret <name>', 'authenticate with this secret as a bearer token')
      .option('--refresh', 'load the list from the server instead of the cache'),
    async () => (await import('./commands/mcp.ts')).listMcpTools,
  );
  does(
    nodes
      .command('models')
      .description('List the models of a provider')
      .argument('<provider>', 'openai, anthropic, google or openai_compatible')
      .option('--base-url <url>', "default: the provider's own address")
      .option('--connection <name>', 'authenticate with this connection')
      .option('--secret <name>', 'authenticate with this secret as the API key')
      .option('--refresh', 'load the list from the provider instead of the cache'),
    async () => (await import('./commands/provider-models.ts')).listProviderModels,
  );
  does(
    nodes
      .command('choices')
      .description('Load what a field of a pack accepts from the service of the pack')
      .argument('<pack>')
      .argument('<operation>', 'an operation, or a trigger with --trigger')
      .argument('<field>')
      .option('--trigger', 'the field belongs to a trigger')
      .option('--connection <name>', 'authenticate with this connection')
      .option('--authentication <json>', 'authenticate as in the configuration of the node')
      .option('--values <json>', 'values of the fields that it depends on, as a JSON object')
      .option('--search <text>', 'text to search for, which the pack may ignore')
      .option('--pack-version <version>', 'default: the newest')
      .option('--refresh', 'load from the service instead of the cache'),
    async () => (await import('./commands/packs/pack-choices.ts')).listPackChoices,
  );
  nodes
    .command('check')
    .description('Load trusted nodes and run their examples, without a service')
    .argument('[place]', 'their folder, or one file; default: WEFT_NODES_DIR')
    .action(async (file: string | undefined) => {
      requireServiceNode('nodes check');
      const { checkNodes } = await import('./check-nodes.ts');
      finish(await checkNodes(terminal.env, file, (line) => terminal.out(`${line}\n`)));
    });
}
