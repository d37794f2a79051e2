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

export type SecretStore = {
  /** Creates or replaces. */
  putSecret(secret: SecretRow): Promise<{ created: boolean }>;
  secret(ownerId: string, name: string): Promise<SecretRow | null>;
  /** Some of them, whoever's; the same ones as long as they are there. */
  someSecrets(limit: number): Promise<SecretRow[]>;
  listSecrets(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: Omit<SecretRow, 'value'>[]; total: number }>;
  removeSecret(ownerId: string, name: string): Promise<boolean>;
};
