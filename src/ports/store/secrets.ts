import type { AuditedChange } from './audit.ts';

/** `value` is encrypted already. */
export type SecretRow = {
  ownerId: string;
  name: string;
  value: string;
  hosts: string[] | null;
  description: string;
  createdAt: number;
  updatedAt: number;
};

/** `value` is encrypted, like that of the secret. */
export type FormerSecret = { name: string; value: string };

export type SecretStore = {
  /** Creates or replaces; a changed `value` turns the previous one into a former secret. */
  putSecret(secret: SecretRow, event?: AuditedChange): Promise<{ created: boolean }>;
  secret(ownerId: string, name: string): Promise<SecretRow | null>;
  /** Some secrets of any owner; the same ones as long as they exist. */
  sampleSecrets(limit: number): Promise<SecretRow[]>;
  listSecrets(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: Omit<SecretRow, 'value'>[]; total: number }>;
  /** The value becomes a former secret. */
  removeSecret(ownerId: string, name: string, at: number, event?: AuditedChange): Promise<boolean>;
  /** Former values of secrets, newest first: at most 500, replaced or removed at most 366 days ago. */
  formerSecrets(ownerId: string): Promise<FormerSecret[]>;
};
