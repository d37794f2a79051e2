import type { Role, SubscriptionPlan } from '../../../contract/principal.ts';
import type { AuditedChange } from '../audit.ts';

export type UserRow = {
  id: string;
  email: string;
  name: string;
  passwordHash: string;
  role: Role;
  plan: SubscriptionPlan;
  createdAt: number;
};

export type UserStore = {
  countUsers(): Promise<number>;
  /** False: the email is taken. Emails are compared in lower case. */
  createUser(user: UserRow, event?: AuditedChange): Promise<boolean>;
  userById(id: string): Promise<UserRow | null>;
  userByEmail(email: string): Promise<UserRow | null>;
  listUsers(offset: number, limit: number): Promise<{ rows: UserRow[]; total: number }>;
  /**
   * Sets the given fields; `endSessions` ends all sessions of the user except `exceptSession`. False: not
   * found.
   */
  updateUser(
    id: string,
    fields: Partial<Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'role' | 'plan'>>,
    endSessions?: { at: number; exceptSession: string | null },
    event?: AuditedChange,
  ): Promise<boolean>;
  /**
   * Deletes the user and all owned data; false: the user does not exist. Owned data is deleted in any case.
   */
  removeUser(id: string, event?: AuditedChange): Promise<boolean>;
};
