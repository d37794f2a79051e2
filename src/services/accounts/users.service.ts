import { randomBytes } from 'node:crypto';
import type { Passwords } from '../../auth/passwords.ts';
import type { PrincipalCache } from '../../auth/principal-cache.ts';
import { validate } from '../../contract/validate.ts';
import {
  type WeftError,
  createConflictError,
  createNotFoundError,
  createValidationError,
} from '../../contract/errors.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { ChangePasswordInput, CreateUserInput, UpdateUserInput } from '../../contract/requests/accounts.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Ids } from '../../ports/ids.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import type { UserRow } from '../../ports/store/accounts/users.ts';
import { listChangedFields, systemActor, type AuditLog } from '../audit/audit-log.ts';
import { requireScope, requireSession } from '../authorize.ts';

export type UsersService = {
  me(principal: Principal): Promise<UserRow>;
  /** Ends the user's other sessions. */
  changePassword(principal: Principal, input: unknown): Promise<void>;
  list(principal: Principal, query: unknown): Promise<{ rows: UserRow[]; total: number; page: Page }>;
  get(principal: Principal, id: string): Promise<UserRow>;
  create(principal: Principal, input: unknown): Promise<UserRow>;
  /** A new password ends all of the user's sessions. The last administrator keeps the role. */
  update(principal: Principal, id: string, input: unknown): Promise<UserRow>;
  /** Deletes the user with all resources. Users cannot delete themselves. */
  remove(principal: Principal, id: string): Promise<void>;
};

export type UsersServiceOptions = {
  readonly accounts: AccountStore;
  readonly passwords: Passwords;
  readonly cache: PrincipalCache;
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly ids: Ids;
  readonly now: () => number;
  /** Called before a user's rows are deleted: stops executions and triggers of the owner. */
  readonly beforeRemove: (userId: string) => Promise<void>;
  /** Runs the callback when all requests that are now in progress have ended. */
  readonly afterRequests: (run: () => Promise<void>) => void;
};

export function createUsersService(options: UsersServiceOptions): UsersService {
  const { accounts, passwords, cache, audit, ids, now, beforeRemove, afterRequests } = options;
  const inTurn = createTurns();

  async function found(id: string): Promise<UserRow> {
    const user = await accounts.userById(id);
    if (user === null) throw createNotFoundError('user');
    return user;
  }

  async function isLastAdmin(user: UserRow): Promise<boolean> {
    if (user.role !== 'admin') return false;
    const size = 100;
    for (let offset = 0; ; offset += size) {
      const { rows } = await accounts.listUsers(offset, size);
      if (rows.some(({ id, role }) => role === 'admin' && id !== user.id)) return false;
      if (rows.length < size) return true;
    }
  }

  return {
    me: (principal) => found(principal.userId),

    async changePassword(principal, input) {
      const sessionId = requireSession(principal);
      const { current_password, new_password } = validate(ChangePasswordInput, input);
      const user = await found(principal.userId);
      if (!(await passwords.verify(user.passwordHash, current_password))) {
        throw createValidationError([{ field: 'current_password', issue: 'is not the current password' }]);
      }
      const passwordHash = await passwords.hash(new_password);
      const event = audit.describe(principal, 'user.password_changed', toTarget(user));
      await accounts.updateUser(user.id, { passwordHash }, { at: now(), exceptSession: sessionId }, event);
      cache.forget({ userId: user.id });
    },

    async list(principal, query) {
      requireScope(principal, 'admin');
      const page = toPage(validate(PageQuery, query));
      return { ...(await accounts.listUsers(page.offset, page.limit)), page };
    },

    async get(principal, id) {
      requireScope(principal, 'admin');
      return found(id);
    },

    async create(principal, input) {
      requireScope(principal, 'admin');
      const fields = validate(CreateUserInput, input);
      const user: UserRow = {
        id: ids.next('user'),
        email: fields.email,
        name: fields.name ?? '',
        passwordHash: await passwords.hash(fields.password),
        role: fields.role ?? 'member',
        plan: fields.plan ?? 'standard',
        createdAt: now(),
      };
      const { role, plan } = user;
      const event = audit.describe(principal, 'user.created', toTarget(user), { role, plan });
      if (!(await inTurn(() => accounts.createUser(user, event)))) throw emailTaken();
      return user;
    },

    update(principal, id, input) {
      requireScope(principal, 'admin');
      const { id: _id, created_at: _createdAt, password, ...fields } = validate(UpdateUserInput, input);
      return inTurn(async () => {
        const user = await found(id);
        if (fields.role === 'member' && (await isLastAdmin(user))) {
          throw createConflictError('The last administrator keeps the role.');
        }
        await requireFreeEmail(accounts, user, fields.email);
        const change =
          password === undefined ? fields : { ...fields, passwordHash: await passwords.hash(password) };
        const ending = password === undefined ? undefined : { at: now(), exceptSession: null };
        const event = audit.describe(principal, 'user.updated', toTarget(user), describeUpdate(user, change));
        if (!(await accounts.updateUser(id, change, ending, event))) throw createNotFoundError('user');
        cache.forget({ userId: id });
        return found(id);
      });
    },

    remove(principal, id) {
      requireScope(principal, 'admin');
      return inTurn(async () => {
        const user = await found(id);
        if (id === principal.userId)
          throw createConflictError('You cannot delete your own account; ask another administrator.');
        if (await isLastAdmin(user)) throw createConflictError('The last administrator cannot be deleted.');
        await beforeRemove(id);
        const event = audit.describe(principal, 'user.deleted', toTarget(user));
        if (!(await accounts.removeUser(id, event))) throw createNotFoundError('user');
        cache.forget({ userId: id });
        // Deletes rows that requests in progress have written for this user meanwhile.
        afterRequests(async () => void (await accounts.removeUser(id)));
      });
    },
  };
}

function toTarget({ id, email }: UserRow): { id: string; name: string } {
  return { id, name: email };
}

/** The changed fields, and the old and new values of those that decide about permissions. */
function describeUpdate(user: UserRow, change: Partial<UserRow>) {
  const fields = listChangedFields(user, change).map((name) => (name === 'passwordHash' ? 'password' : name));
  const changes: { [name: string]: Json } = {};
  for (const name of ['email', 'role', 'plan'] as const)
    if (fields.includes(name)) changes[name] = { from: user[name], to: change[name] ?? null };
  return { fields, ...changes };
}

async function requireFreeEmail(
  accounts: AccountStore,
  user: UserRow,
  email: string | undefined,
): Promise<void> {
  if (email === undefined) return;
  const holder = await accounts.userByEmail(email);
  if (holder !== null && holder.id !== user.id) throw emailTaken();
}

function emailTaken(): WeftError {
  return createConflictError('Another user has this email.', { field: 'email' });
}

/**
 * Runs changes of users sequentially, so that two of them cannot each remove the other's last administrator.
 */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

export type FirstAdmin = { email: string; password: string; isGenerated: boolean };

/**
 * Creates the first administrator when there is no user. Without a given email and password:
 * `admin@localhost` with a random password, which is returned to be shown once and is stored nowhere. Null
 * when users exist.
 */
export async function ensureFirstAdmin(
  options: Pick<UsersServiceOptions, 'accounts' | 'passwords' | 'audit' | 'ids' | 'now'>,
  given: { email: string; password: string } | null,
): Promise<FirstAdmin | null> {
  const { accounts, passwords, audit, ids, now } = options;
  if ((await accounts.countUsers()) > 0) return null;
  const { email, password } = given ?? { email: 'admin@localhost', password: randomPassword() };
  const passwordHash = await passwords.hash(password);
  const user = { id: ids.next('user'), email, name: 'Administrator', passwordHash, createdAt: now() };
  const row: UserRow = { ...user, role: 'admin', plan: 'enterprise' };
  const event = audit.describe(systemActor, 'user.created', toTarget(row), {
    role: row.role,
    plan: row.plan,
  });
  if (!(await accounts.createUser(row, event))) return null;
  return { email, password, isGenerated: given === null };
}

/**
 * For the server's operator: sets a user's password (random when none is given, returned in any case) and
 * ends all sessions.
 * @throws {WeftError} NOT_FOUND for an unknown email; VALIDATION_ERROR for a password of an invalid length.
 */
export async function resetPassword(
  options: Pick<UsersServiceOptions, 'passwords' | 'audit' | 'now'> & {
    readonly accounts: Pick<AccountStore, 'userByEmail' | 'updateUser'>;
  },
  email: string,
  newPassword?: string,
): Promise<{ email: string; password: string }> {
  const { accounts, passwords, audit, now } = options;
  const password = newPassword ?? randomPassword();
  validate(CreateUserInput.properties.password, password, 'password');
  const user = await accounts.userByEmail(email);
  if (user === null) throw createNotFoundError('user');
  await accounts.updateUser(
    user.id,
    { passwordHash: await passwords.hash(password) },
    { at: now(), exceptSession: null },
    audit.describe(systemActor, 'user.password_changed', toTarget(user)),
  );
  return { email: user.email, password };
}

function randomPassword(): string {
  return randomBytes(15).toString('base64url');
}
