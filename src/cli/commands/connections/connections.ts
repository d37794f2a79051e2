import type {
  ConnectedAccount,
  CreateConnectionInput,
  UpdateConnectionInput,
} from '../../../../sdk/src/index.ts';
import type { ConnectOptions } from '../../connect.ts';
import { askQuestion, readAll } from '../../terminal/prompt.ts';
import type { RunContext } from '../../run-context.ts';
import { timeText } from '../../terminal/text.ts';
import { UsageError } from '../../usage-error.ts';
import { listFieldNames, readAuthentication, readFields, readProviderFields } from './connection-fields.ts';
import { showList, readWholeNumber, type ListOptions } from '../list.ts';
import { remove, type DeleteOptions } from '../remove.ts';

export async function listConnections(
  context: RunContext,
  options: ConnectOptions & ListOptions,
): Promise<undefined> {
  await showList(
    context,
    options,
    'connections',
    (page, given) => context.client.connections.list(page, given),
    [
      { title: 'NAME', of: (one) => one.name },
      { title: 'STATUS', of: (one) => one.status },
      { title: 'AT', of: (one) => one.provider ?? formatHost(one) },
      { title: 'SCOPES', of: (one) => one.scopes.join(' '), isLoose: true },
      { title: 'DESCRIPTION', of: (one) => one.description, isLoose: true },
    ],
    'There is no connection.',
  );
  return undefined;
}

export async function getConnection(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const one = await client.connections.get(name, { signal });
  printer.show(one, () =>
    printer.record([
      ['connection', one.name],
      ['status', one.status],
      ...(one.error === null ? [] : [['error', one.error] as const]),
      ['at', one.provider ?? one.token_url ?? formatHost(one)],
      ...(one.field_names === null
        ? ([
            ['redirect uri', one.redirect_uri],
            ['scopes', (one.granted_scopes ?? one.scopes).join(' ')],
            ['token ends', one.expires_at === null ? '' : timeText(one.expires_at)],
            ['renewed by Weft', one.refreshable ? 'yes' : 'no'],
          ] as const)
        : ([
            ['sent as', one.authentication?.type ?? ''],
            ['fields', one.field_names.join(', ')],
          ] as const)),
      ...(one.hosts === null ? [] : [['hosts', one.hosts.join(' ')] as const]),
      ['description', one.description],
    ]),
  );
  return undefined;
}

/** Where a connection without a provider is used. */
function formatHost({ token_url: url, hosts }: ConnectedAccount): string {
  return url === null ? (hosts?.[0] ?? '') : new URL(url).host;
}

type ChangeOptions = ConnectOptions & {
  readonly scope?: readonly string[];
  readonly host?: readonly string[];
  readonly baseUrl?: string;
  readonly testUrl?: string;
  readonly testMethod?: string;
  readonly testStatus?: string;
  readonly description?: string;
};

type CreateOptions = ChangeOptions & {
  readonly provider?: string;
  readonly providerField?: readonly string[];
  readonly header?: string;
  readonly prefix?: string;
  readonly query?: string;
  readonly bearer?: boolean;
  readonly basic?: boolean;
  readonly place?: readonly string[];
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientCredentials?: boolean;
  readonly publicClient?: boolean;
};

/**
 * Reads the client secret or the values of fields from standard input, or prompts for them. They are never
 * arguments.
 */
export async function createConnection(
  context: RunContext,
  options: CreateOptions,
  name = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const authentication = readAuthentication(options);
  const input = {
    name,
    ...readOAuth(options),
    ...(authentication === null
      ? { client_secret: options.publicClient === true ? undefined : await clientSecret(context, name) }
      : {
          grant_type: 'fields',
          authentication,
          fields: await readFields(context, listFieldNames(authentication)),
        }),
    ...readChanges(options),
  };
  // The service validates the provider, the method, and that fields have no options of OAuth.
  const made = await client.connections.create(input as CreateConnectionInput, { signal });
  printer.show(made, () => {
    printer.line(`The connection ${made.name} was created.`);
    if (made.connect_url === null) return;
    printer.note('Within ten minutes, open this address and allow it:');
    printer.line(made.connect_url);
  });
  return undefined;
}

function readOAuth(options: CreateOptions) {
  return {
    provider: options.provider,
    provider_fields:
      options.providerField === undefined ? undefined : readProviderFields(options.providerField),
    grant_type: options.clientCredentials === true ? 'client_credentials' : undefined,
    authorization_url: options.authorizationUrl,
    token_url: options.tokenUrl,
    client_id: options.clientId,
  };
}

/** The changes that both commands accept. */
function readChanges(options: ChangeOptions) {
  return {
    scopes: options.scope === undefined ? undefined : [...options.scope],
    hosts: options.host === undefined ? undefined : [...options.host],
    base_url: options.baseUrl,
    test_url: options.testUrl,
    test_method: options.testMethod?.toUpperCase(),
    test_status: readWholeNumber(options.testStatus, '--test-status'),
    description: options.description,
  };
}

export async function updateConnection(
  context: RunContext,
  options: ChangeOptions & { readonly fields?: boolean },
  name = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  let fields: Record<string, string> | undefined;
  if (options.fields === true) {
    const { field_names: names } = await client.connections.get(name, { signal });
    if (names === null) throw new UsageError(`The connection ${name} has no fields: it uses OAuth.`);
    fields = await readFields(context, names);
  }
  const changes = { ...readChanges(options), fields };
  if (Object.values(changes).every((value) => value === undefined))
    throw new UsageError('There is nothing to change: give at least one option.');
  const one = await client.connections.update(name, changes as UpdateConnectionInput, { signal });
  printer.show(one, () => printer.line(`The connection ${one.name} was changed.`));
  return undefined;
}

async function clientSecret({ terminal }: RunContext, name: string): Promise<string> {
  const value = terminal.stdin.isTTY
    ? await askQuestion(terminal, `Client secret of ${name}: `, { isHidden: true })
    : (await readAll(terminal)).replace(/\r?\n$/, '');
  if (value === '')
    throw new UsageError('A connection needs the secret of its client: pipe it in, or give --public-client.');
  return value;
}

export async function authorizeConnection(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const invitation = await client.connections.authorize(name, {}, { signal });
  printer.show(invitation, () => {
    printer.note('Within ten minutes, open this address and allow it:');
    printer.line(invitation.connect_url);
  });
  return undefined;
}

export async function testConnection(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<number | undefined> {
  const test = await client.connections.test(name, { signal });
  printer.show(test, () => printer.line(`${test.ok ? 'It works' : 'It does not work'}: ${test.message}`));
  return test.ok ? undefined : 1;
}

export async function refreshConnection(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const one = await client.connections.refresh(name, { signal });
  printer.show(one, () => printer.line(`The connection ${one.name} has a new token.`));
  return undefined;
}

export async function deleteConnection(
  context: RunContext,
  options: DeleteOptions & { readonly force?: boolean },
  name = '',
): Promise<number | undefined> {
  const query = options.force === true ? { force: true } : {};
  return remove(context, options, `the connection ${name}`, () =>
    context.client.connections.delete(name, query, { signal: context.signal }),
  );
}
