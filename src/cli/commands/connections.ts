import type { CreateConnectionInput } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import { ask, readAll } from '../terminal/prompt.ts';
import type { RunContext } from '../run-context.ts';
import { timeText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

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
      { title: 'AT', of: (one) => one.provider ?? new URL(one.token_url).host },
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
      ['at', one.provider ?? one.token_url],
      ['redirect uri', one.redirect_uri],
      ['scopes', (one.granted_scopes ?? one.scopes).join(' ')],
      ['token ends', one.expires_at === null ? '' : timeText(one.expires_at)],
      ['renewed by Weft', one.refreshable ? 'yes' : 'no'],
      ['description', one.description],
    ]),
  );
  return undefined;
}

type CreateOptions = ConnectOptions & {
  readonly provider?: string;
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly scope?: readonly string[];
  readonly host?: readonly string[];
  readonly baseUrl?: string;
  readonly clientCredentials?: boolean;
  readonly publicClient?: boolean;
  readonly description?: string;
};

/** Reads the client secret from standard input, or prompts for it. It is never an argument. */
export async function createConnection(
  context: RunContext,
  options: CreateOptions,
  name = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const input = {
    name,
    provider: options.provider,
    grant_type: options.clientCredentials === true ? 'client_credentials' : undefined,
    authorization_url: options.authorizationUrl,
    token_url: options.tokenUrl,
    client_id: options.clientId,
    client_secret: options.publicClient === true ? undefined : await clientSecret(context, name),
    scopes: options.scope === undefined ? undefined : [...options.scope],
    hosts: options.host === undefined ? undefined : [...options.host],
    base_url: options.baseUrl,
    description: options.description,
  };
  // The service validates the provider.
  const made = await client.connections.create(input as CreateConnectionInput, { signal });
  printer.show(made, () => {
    printer.line(`The connection ${made.name} was created.`);
    if (made.connect_url === null) return;
    printer.note('Within ten minutes, open this address and allow it:');
    printer.line(made.connect_url);
  });
  return undefined;
}

async function clientSecret({ terminal }: RunContext, name: string): Promise<string> {
  const value = terminal.stdin.isTTY
    ? await ask(terminal, `Client secret of ${name}: `, { isHidden: true })
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
