import type { AuditedChange } from '../audit.ts';

export type ApiKeyRow = {
  id: string;
  ownerId: string;
  name: string;
  /** Hex SHA-256 of the key; `prefix` is its first characters, which identify it to users. */
  hash: string;
  prefix: string;
  scopes: string[] | null;
  expiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
};

export type ApiKeyStore = {
  createApiKey(key: ApiKeyRow, event?: AuditedChange): Promise<void>;
  apiKeyByHash(hash: string): Promise<ApiKeyRow | null>;
  apiKey(ownerId: string, id: string): Promise<ApiKeyRow | null>;
  listApiKeys(ownerId: string, offset: number, limit: number): Promise<{ rows: ApiKeyRow[]; total: number }>;
  removeApiKey(ownerId: string, id: string, event?: AuditedChange): Promise<boolean>;
  touchApiKey(id: string, at: number): Promise<void>;
};
