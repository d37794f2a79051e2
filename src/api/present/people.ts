import { paginationOf, type Page, type Pagination } from '../../contract/paging.ts';
import type { ApiKeyRow, UserRow } from '../../ports/store.ts';
import type { Login } from '../../services/auth.service.ts';
import type { SecretInfo } from '../../services/secrets.service.ts';

/** ISO 8601 in UTC with milliseconds and `Z`. */
export function presentTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function presentTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : presentTime(ms);
}

/** A list as every list is shown: `{ [name]: items, pagination }`. */
export function presentList<T, P>(
  name: string,
  list: { rows: readonly T[]; total: number; page: Page },
  present: (row: T) => P,
): { [name: string]: P[] | Pagination } {
  return { [name]: list.rows.map((row) => present(row)), pagination: paginationOf(list.page, list.total) };
}

export function presentLogin({ token, expiresIn, user }: Login) {
  return { token, expires_in: expiresIn, user: { id: user.id, email: user.email, name: user.name } };
}

export function presentUser(user: UserRow) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    plan: user.plan,
    created_at: presentTime(user.createdAt),
  };
}

/** Without the key: that is shown once, when it is made. */
export function presentApiKey(key: ApiKeyRow) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    expires_at: presentTimeOrNull(key.expiresAt),
    created_at: presentTime(key.createdAt),
    last_used_at: presentTimeOrNull(key.lastUsedAt),
  };
}

export function presentSecret(secret: SecretInfo) {
  return {
    name: secret.name,
    hosts: secret.hosts,
    description: secret.description,
    created_at: presentTime(secret.createdAt),
    updated_at: presentTime(secret.updatedAt),
  };
}
