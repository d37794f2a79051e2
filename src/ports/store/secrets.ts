/** `value` is encrypted before it comes here. */
export type SecretRow = {
  ownerId: string;
  name: string;
  value: string;
  hosts: string[] | null;
  description: string;
  createdAt: number;
  updatedAt: number;
};

/** `value` is encrypted, as that of the secret was. */
export type FormerSecret = { name: string; value: string };

export type SecretStore = {
  /** Creates or replaces; another `value` than before makes the one before a former one. */
  putSecret(secret: SecretRow): Promise<{ created: boolean }>;
  secret(ownerId: string, name: string): Promise<SecretRow | null>;
  /** Some of them, whoever's; the same ones as long as they are there. */
  someSecrets(limit: number): Promise<SecretRow[]>;
  listSecrets(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: Omit<SecretRow, 'value'>[]; total: number }>;
  /** Its value becomes a former one. */
  removeSecret(ownerId: string, name: string, at: number): Promise<boolean>;
  /** Values that secrets had, newest first: at most 500, and none that ended more than 366 days ago. */
  formerSecrets(ownerId: string): Promise<FormerSecret[]>;
};
