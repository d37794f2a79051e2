import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import { toPagination, type Page, type Pagination } from '../../contract/paging.ts';
import type { ApiKeyRow } from '../../ports/store/accounts/api-keys.ts';
import type { UserRow } from '../../ports/store/accounts/users.ts';
import type { Login } from '../../services/accounts/auth.service.ts';
import type { SecretInfo } from '../../services/credentials/secrets.service.ts';

/** Serializes a list: `{ [name]: items, pagination }`. */
export function presentList<T, P>(
  name: string,
  list: { rows: readonly T[]; total: number; page: Page },
  present: (row: T) => P,
): { [name: string]: P[] | Pagination } {
  return { [name]: list.rows.map((row) => present(row)), pagination: toPagination(list.page, list.total) };
}

export function presentLogin(login: Login) {
  return { token: login.token, ...presentCookieLogin(login) };
}

/** Omits the token, which scripts must not read. */
export function presentCookieLogin({ expiresIn, user }: Login) {
  return { expires_in: expiresIn, user: { id: user.id, email: user.email, name: user.name } };
}

export function presentUser(user: UserRow) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    plan: user.plan,
    created_at: formatIsoTime(user.createdAt),
  };
}

/** Omits the key, which is returned only when it is created. */
export function presentApiKey(key: ApiKeyRow) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    expires_at: formatIsoTimeOrNull(key.expiresAt),
    created_at: formatIsoTime(key.createdAt),
    last_used_at: formatIsoTimeOrNull(key.lastUsedAt),
  };
}

export function presentSecret(secret: SecretInfo) {
  return {
    name: secret.name,
    hosts: secret.hosts,
    description: secret.description,
    created_at: formatIsoTime(secret.createdAt),
    updated_at: formatIsoTime(secret.updatedAt),
  };
}
