import type { UpdateUserInput, User } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import { askQuestion } from '../terminal/prompt.ts';
import type { RunContext } from '../run-context.ts';
import { toPlainText, timeText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

const userColumns = [
  { title: 'ID', of: (one: User) => one.id },
  { title: 'EMAIL', of: (one: User) => one.email, isLoose: true },
  { title: 'NAME', of: (one: User) => one.name, isLoose: true },
  { title: 'ROLE', of: (one: User) => one.role },
  { title: 'PLAN', of: (one: User) => one.plan },
  { title: 'SINCE', of: (one: User) => timeText(one.created_at) },
];

export async function listUsers(
  context: RunContext,
  options: ConnectOptions & ListOptions,
): Promise<undefined> {
  await showList(
    context,
    options,
    'users',
    (page, given) => context.client.users.list(page, given),
    userColumns,
    'There is no user.',
  );
  return undefined;
}

export async function getUser(
  context: RunContext,
  _options: ConnectOptions,
  idOrEmail = '',
): Promise<undefined> {
  const user = await findUser(context, idOrEmail);
  context.printer.show(user, () => context.printer.table(userColumns, [user]));
  return undefined;
}

type UserOptions = ConnectOptions & {
  readonly name?: string;
  readonly role?: User['role'];
  readonly plan?: User['plan'];
  readonly email?: string;
  readonly password?: boolean;
};

/** Reads the password from WEFT_PASSWORD or standard input, or prompts for it. */
export async function createUser(context: RunContext, options: UserOptions, email = ''): Promise<undefined> {
  const { client, printer, signal } = context;
  const password = await newPassword(context, `Password for ${email}: `);
  const { name, role, plan } = options;
  const user = await client.users.create({ email, password, name, role, plan }, { signal });
  printer.show(user, () => printer.line(`${user.email} (${user.id}) is a ${user.plan} ${user.role}.`));
  return undefined;
}

export async function updateUser(
  context: RunContext,
  options: UserOptions,
  idOrEmail = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const { name, role, plan, email } = options;
  const asked = [name, role, plan, email].some((one) => one !== undefined) || options.password === true;
  if (!asked)
    throw new UsageError('At least one of --name, --role, --plan, --email and --password is required.');
  const { id } = await findUser(context, idOrEmail);
  const password =
    options.password === true ? await newPassword(context, `New password for ${idOrEmail}: `) : undefined;
  const change: UpdateUserInput = { name, role, plan, email, password };
  const user = await client.users.update(id, change, { signal });
  printer.show(user, () => printer.table(userColumns, [user]));
  return undefined;
}

export async function deleteUser(
  context: RunContext,
  options: DeleteOptions,
  idOrEmail = '',
): Promise<number | undefined> {
  const { id, email } = await findUser(context, idOrEmail);
  return remove(
    context,
    options,
    `${toPlainText(email)} (${id}) with all workflows, executions and secrets`,
    () => context.client.users.delete(id, { signal: context.signal }),
  );
}

async function findUser({ client, signal }: RunContext, idOrEmail: string): Promise<User> {
  if (!idOrEmail.includes('@')) return client.users.get(idOrEmail, { signal });
  for await (const user of client.users.listAll({}, { signal }))
    if (user.email.toLowerCase() === idOrEmail.toLowerCase()) return user;
  return client.users.get(idOrEmail, { signal });
}

async function newPassword({ terminal }: RunContext, question: string): Promise<string> {
  const password =
    terminal.env['WEFT_PASSWORD'] || (await askQuestion(terminal, question, { isHidden: true }));
  if (password === '')
    throw new UsageError('A password is needed: type it, pipe it in, or set WEFT_PASSWORD.');
  return password;
}
