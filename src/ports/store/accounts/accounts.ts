import type { ApiKeyStore } from './api-keys.ts';
import type { SecretStore } from '../secrets.ts';
import type { SessionStore } from './sessions.ts';
import type { UserStore } from './users.ts';

export type AccountStore = UserStore & SessionStore & ApiKeyStore & SecretStore;
