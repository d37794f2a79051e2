import type { Role, SubscriptionPlan } from '../../contract/principal.ts';

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
  createUser(user: UserRow): Promise<boolean>;
  userById(id: string): Promise<UserRow | null>;
  userByEmail(email: string): Promise<UserRow | null>;
  listUsers(offset: number, limit: number): Promise<{ rows: UserRow[]; total: number }>;
  /** Sets the fields given; `endSessions` ends all of the user's sessions but `exceptSession`. False: not there. */
  updateUser(
    id: string,
    fields: Partial<Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'role' | 'plan'>>,
    endSessions?: { at: number; exceptSession: string | null },
  ): Promise<boolean>;
  /** Deletes the user with everything owned; false: there was no such user. What is owned goes in any case. */
  removeUser(id: string): Promise<boolean>;
};
