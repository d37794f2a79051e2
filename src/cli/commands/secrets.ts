import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { timeText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { readHidden } from './input.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

export async function listSecrets(
  context: RunContext,
  options: ConnectOptions & ListOptions,
): Promise<undefined> {
  await showList(
    context,
    options,
    'secrets',
    (page, given) => context.client.secrets.list(page, given),
    [
      { title: 'NAME', of: (one) => one.name },
      { title: 'HOSTS', of: (one) => one.hosts?.join(' ') ?? 'any', isLoose: true },
      { title: 'DESCRIPTION', of: (one) => one.description, isLoose: true },
      { title: 'CHANGED', of: (one) => timeText(one.updated_at) },
    ],
    'There is no secret.',
  );
  return undefined;
}

type SecretOptions = ConnectOptions & { readonly host?: readonly string[]; readonly description?: string };

/** The value is never an argument. */
export async function setSecret(context: RunContext, options: SecretOptions, name = ''): Promise<undefined> {
  const { client, printer, signal, terminal } = context;
  const value = await readHidden(terminal, `Value of ${name}: `);
  if (value === '') throw new UsageError('A secret needs a value: pipe it in, or type it when asked.');
  const secret = await client.secrets.put(
    name,
    {
      value,
      hosts: options.host === undefined ? undefined : [...options.host],
      description: options.description,
    },
    { signal },
  );
  printer.show(secret, () => printer.line(`The secret ${secret.name} is stored.`));
  return undefined;
}

export async function deleteSecret(
  context: RunContext,
  options: DeleteOptions,
  name = '',
): Promise<number | undefined> {
  return remove(context, options, `the secret ${name}`, () =>
    context.client.secrets.delete(name, { signal: context.signal }),
  );
}
