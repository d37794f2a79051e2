import type { Command } from 'commander';
import type { CommandBuilders } from './command-builders.ts';

/** Adds the commands about connections and the catalog of providers. */
export function addConnectionCommands(program: Command, { does, listing, deleting }: CommandBuilders): void {
  const connections = program
    .command('connections')
    .alias('connection')
    .description('Manage connections: accounts and credentials of other services');
  const ofConnections = () => import('./commands/connections/connections.ts');
  does(
    listing(connections.command('list').description('List connections')),
    async () => (await ofConnections()).listConnections,
  );
  does(
    connections.command('get').description('Show a connection').argument('<name>'),
    async () => (await ofConnections()).getConnection,
  );
  does(
    connections
      .command('create')
      .description(
        'Create a connection; its client secret or fields are prompted for, or read from standard input (several as JSON)',
      )
      .argument('<name>')
      .option('--provider <id>', 'id from "weft connections providers"')
      .option('--provider-field <name=value...>', 'variable part of the URLs of the provider')
      .option('--client-id <id>', 'client id of the app at the provider')
      .option('--authorization-url <url>', 'without a provider: the authorization URL')
      .option('--token-url <url>', 'without a provider: the token URL')
      .option('--scope <scope...>', 'scope to request')
      .option('--header <name>', 'instead of OAuth: send an API key in this header')
      .option('--prefix <text>', 'with --header: text before the key, such as "Token "')
      .option('--query <name>', 'instead of OAuth: send an API key in this query parameter')
      .option('--bearer', 'instead of OAuth: send a bearer token')
      .option('--basic', 'instead of OAuth: send a user name and a password')
      .option('--place <field=place:name...>', 'several fields, such as app_id=header:X-App or key=query:key')
      .option('--host <host...>', 'hosts that may receive the credential')
      .option('--base-url <url>', 'base URL of the API that connector nodes call')
      .option('--test-url <url>', 'what a test requests')
      .option('--test-method <method>', 'GET, HEAD or POST')
      .option('--test-status <status>', 'the status of a successful test; default: 200 to 299')
      .option('--client-credentials', 'authenticate as the app itself, without user consent')
      .option('--public-client', 'the app has no client secret')
      .option('--description <text>'),
    async () => (await ofConnections()).createConnection,
  );
  does(
    connections
      .command('update')
      .description('Update a connection; omitted options stay unchanged')
      .argument('<name>')
      .option('--fields', 'replace the fields; their values are prompted for, or read from standard input')
      .option('--host <host...>', 'hosts that may receive the credential')
      .option('--base-url <url>', 'base URL of the API that connector nodes call')
      .option('--scope <scope...>', 'scope to request with the next authorization')
      .option('--test-url <url>', 'what a test requests')
      .option('--test-method <method>', 'GET, HEAD or POST')
      .option('--test-status <status>', 'the status of a successful test')
      .option('--description <text>'),
    async () => (await ofConnections()).updateConnection,
  );
  does(
    connections
      .command('authorize')
      .description('Print a URL at which a user authorizes the connection')
      .argument('<name>'),
    async () => (await ofConnections()).authorizeConnection,
  );
  does(
    connections.command('test').description('Try it; exit code 1 when it does not work').argument('<name>'),
    async () => (await ofConnections()).testConnection,
  );
  does(
    connections.command('refresh').description('Renew the token').argument('<name>'),
    async () => (await ofConnections()).refreshConnection,
  );
  does(
    deleting(
      connections
        .command('delete')
        .description('Delete a connection with its tokens and fields')
        .argument('<name>')
        .option('--force', 'delete even if active workflows use it'),
    ),
    async () => (await ofConnections()).deleteConnection,
  );
  const ofProviders = () => import('./commands/connections/connection-providers.ts');
  does(
    listing(
      connections
        .command('providers')
        .description('List the providers of accounts')
        .option('--search <text>'),
    ),
    async () => (await ofProviders()).listProviders,
  );
  does(
    connections.command('provider').description('Show a provider').argument('<id>'),
    async () => (await ofProviders()).getProvider,
  );
}
