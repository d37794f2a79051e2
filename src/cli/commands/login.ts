import type { User } from '../../../sdk/src/index.ts';
import { createClientFor, createWeftClient, readTarget, type ConnectOptions } from '../connect.ts';
import {
  changeProfiles,
  createUnknownProfileError,
  findProfilesFile,
  readProfiles,
  withoutCredential,
  type Profile,
} from '../profiles.ts';
import { askQuestion } from '../terminal/prompt.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';

type LoginOptions = ConnectOptions & { readonly email?: string; readonly apiKey?: boolean };

/** Verifies a credential and stores it in the profile, which becomes the current one. */
export async function login(context: RunContext, options: LoginOptions): Promise<undefined> {
  const { terminal, printer } = context;
  const { env } = terminal;
  const target = readTarget(env, options, true);
  const { profile, user } =
    options.apiKey === true
      ? await withKey(context, target.url)
      : await withPassword(context, target.url, options.email);
  changeProfiles(findProfilesFile(env), (all) => ({
    current: target.profile,
    profiles: { ...all.profiles, [target.profile]: profile },
  }));
  printer.show({ url: target.url, profile: target.profile, user }, () => {
    printer.line(`Logged in at ${target.url} as ${user.email} (profile ${target.profile}).`);
  });
  for (const name of ['WEFT_API_KEY', 'WEFT_TOKEN'].filter((one) => (env[one] ?? '') !== '')) {
    printer.note(`${name} is set, and is used instead of this login until it is unset.`);
  }
}

type Proved = { profile: Profile; user: Pick<User, 'id' | 'email' | 'name'> };

async function withKey({ terminal, signal }: RunContext, url: string): Promise<Proved> {
  const apiKey =
    terminal.env['WEFT_API_KEY'] || (await askQuestion(terminal, 'API key: ', { isHidden: true })).trim();
  if (apiKey === '') throw new UsageError('No API key was given.');
  const user = await createWeftClient({ baseUrl: url, apiKey }).users.me({ signal });
  return { profile: { url, apiKey }, user };
}

async function withPassword(
  { terminal, signal }: RunContext,
  url: string,
  given: string | undefined,
): Promise<Proved> {
  const { stdin, env } = terminal;
  if (given === undefined && !stdin.isTTY)
    throw new UsageError(
      'Without a terminal, --email is required; the password is read from standard input.',
    );
  const email = given ?? (await askQuestion(terminal, 'Email: ', { isHidden: false })).trim();
  const password = env['WEFT_PASSWORD'] || (await askQuestion(terminal, 'Password: ', { isHidden: true }));
  if (email === '' || password === '') throw new UsageError('Email and password are needed.');
  let profile: Profile = { url };
  const client = createWeftClient({
    baseUrl: url,
    onSession(session) {
      if (session !== null) profile = { url, session };
    },
  });
  const { user } = await client.auth.login({ email, password }, { signal });
  return { profile, user };
}

/**
 * Ends the session of the profile and deletes its credential. An API key stays valid; `weft keys delete`
 * revokes it.
 */
export async function logout(
  { terminal, printer, signal }: RunContext,
  options: ConnectOptions,
): Promise<undefined> {
  const { env } = terminal;
  const file = findProfilesFile(env);
  const clean = { ...env, WEFT_API_KEY: undefined, WEFT_TOKEN: undefined };
  const target = readTarget(clean, options);
  if (target.source === null) {
    printer.show({ profile: target.profile, logged_out: false }, () =>
      printer.line('You are not logged in.'),
    );
    return;
  }
  const isSession = readProfiles(file).profiles[target.profile]?.session !== undefined;
  // A session that cannot be ended at the service is deleted here anyway.
  const problem = isSession
    ? await createClientFor(clean, target)
        .auth.logout({ signal })
        .then(
          () => null,
          (error: Error) => error.message,
        )
    : null;
  changeProfiles(file, (all) => withoutCredential(all, target.profile));
  printer.show({ profile: target.profile, logged_out: true }, () =>
    printer.line(`Logged out of ${target.url} (profile ${target.profile}).`),
  );
  if (problem !== null) printer.note(`The session could not be ended at the service: ${problem}`);
}

/** Prints the user, the service and the credential in use. */
export async function whoami(context: RunContext, options: ConnectOptions): Promise<undefined> {
  const { client, printer, signal, terminal } = context;
  const { url, profile, source } = readTarget(terminal.env, options);
  const user = await client.users.me({ signal });
  printer.show({ ...user, url, profile, credential: source }, () =>
    printer.record([
      ['email', user.email],
      ['name', user.name],
      ['id', user.id],
      ['role', user.role],
      ['plan', user.plan],
      ['service', url],
      ['credential', source === 'profile' ? `profile ${profile}` : String(source)],
    ]),
  );
}

/** Lists all profiles, without their credentials. */
export async function listProfiles({ terminal, printer }: RunContext): Promise<undefined> {
  const { current, profiles } = readProfiles(findProfilesFile(terminal.env));
  const rows = Object.entries(profiles).map(([name, { url, apiKey, session }]) => ({
    name,
    url,
    credential: apiKey !== undefined ? 'api_key' : session !== undefined ? 'session' : null,
    user: session?.user.email ?? null,
    current: name === current,
  }));
  printer.show({ profiles: rows }, () => {
    if (rows.length === 0) printer.note('There are no profiles yet. Create one with: weft login');
    else
      printer.table(
        [
          { title: '', of: (row) => (row.current ? '*' : '') },
          { title: 'PROFILE', of: (row) => row.name },
          { title: 'SERVICE', of: (row) => row.url, isLoose: true },
          { title: 'CREDENTIAL', of: (row) => row.credential ?? '-' },
          { title: 'USER', of: (row) => row.user ?? '-', isLoose: true },
        ],
        rows,
      );
  });
}

/** Makes a profile the current one. */
export async function switchProfile(
  { terminal, printer }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const file = findProfilesFile(terminal.env);
  const { profiles } = readProfiles(file);
  if (!Object.hasOwn(profiles, name)) throw createUnknownProfileError(name, profiles);
  changeProfiles(file, (all) => ({ ...all, current: name }));
  printer.show({ current: name }, () => printer.line(`${name} is the current profile.`));
}
