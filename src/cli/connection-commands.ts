import type { Command } from 'commander';
import type { CommandBuilders } from './command-builders.ts';

/** Adds the commands about connections and the catalogue of providers. */
export function addConnectionCommands(program: Command, { does, listing, deleting }: CommandBuilders): void {
  const connections = program
    .command('connections')
    .alias('connection')
    .description('Accounts, API keys and passwords of other services that workflows use');
  const ofConnections = () => import('./commands/connections.ts');
  does(
    listing(connections.command('list').description('List them')),
    async () => (await ofConnections()).listConnections,
  );
  does(
    connections.command('get').description('Show one').argument('<name>'),
    async () => (await ofConnections()).getConnection,
  );
  does(
    connections
      .command('create')
      .description(
        "Make one; the client's secret, or the fields, are asked for, or read from standard input (several as JSON)",
      )
      .argument('<name>')
      .option('--provider <id>', 'from "weft connections providers"')
      .option('--provider-field <name=value...>', 'a part of the URLs of the provider')
      .option('--client-id <id>', 'of the app at the provider')
      .option('--authorization-url <url>', 'without a provider: where the person is asked')
      .option('--token-url <url>', 'without a provider: where tokens are given out')
      .option('--scope <scope...>', 'a scope to request')
      .option('--header <name>', 'an API key in this header, in place of OAuth')
      .option('--prefix <text>', 'with --header: text before the key, such as "Token "')
      .option('--query <name>', 'an API key in this query parameter, in place of OAuth')
      .option('--bearer', 'a bearer token, in place of OAuth')
      .option('--basic', 'a user name and a password, in place of OAuth')
      .option('--place <field=place:name...>', 'several fields, such as app_id=header:X-App or key=query:key')
      .option('--host <host...>', 'the only hosts that the token or the fields are sent to')
      .option('--base-url <url>', 'where the API is that connector nodes call')
      .option('--test-url <url>', 'what a test requests')
      .option('--test-method <method>', 'GET, HEAD or POST')
      .option('--test-status <status>', 'the status of a successful test; default: 200 to 299')
      .option('--client-credentials', 'authenticate as the app itself, without user consent')
      .option('--public-client', 'the app has no secret')
      .option('--description <text>'),
    async () => (await ofConnections()).createConnection,
  );
  does(
    connections
      .command('update')
      .description('Change one; what is not given stays')
      .argument('<name>')
      .option('--fields', 'replace the fields, which are asked for, or read from standard input')
      .option('--host <host...>', 'the only hosts that the token or the fields are sent to')
      .option('--base-url <url>', 'where the API is that connector nodes call')
      .option('--scope <scope...>', 'a scope to request with the next authorization')
      .option('--test-url <url>', 'what a test requests')
      .option('--test-method <method>', 'GET, HEAD or POST')
      .option('--test-status <status>', 'the status of a successful test')
      .option('--description <text>'),
    async () => (await ofConnections()).updateConnection,
  );
  does(
    connections
      .command('authorize')
      .description('An address at which a person allows it, for the first time or again')
      .argument('<name>'),
    async () => (await ofConnections()).authorizeConnection,
  );
  does(
    connections.command('test').description('Try it; exit code 1 when it does not work').argument('<name>'),
    async () => (await ofConnections()).testConnection,
  );
  does(
    connections.command('refresh').description('Get a new token now').argument('<name>'),
    async () => (await ofConnections()).refreshConnection,
  );
  does(
    deleting(
      connections
        .command('delete')
        .description('Delete one with its tokens and fields')
        .argument('<name>')
        .option('--force', 'although active workflows use it'),
    ),
    async () => (await ofConnections()).deleteConnection,
  );
  const ofProviders = () => import('./commands/connection-providers.ts');
  does(
    listing(
      connections
        .command('providers')
        .description('List the services whose accounts can be connected')
        .option('--search <text>'),
    ),
    async () => (await ofProviders()).listProviders,
  );
  does(
    connections.command('provider').description('Show one of these services').argument('<id>'),
    async () => (await ofProviders()).getProvider,
  );
}
