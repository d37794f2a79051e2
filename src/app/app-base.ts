import type { Config } from '../config/config.ts';
import type { AppContext } from './bootstrap.ts';

/** Dependencies of every step of the composition. */
export type AppBase = Omit<AppContext, 'storage'> & {
  readonly config: Config;
  /** Reports a failure that no caller waits for. */
  readonly report: (message: string, error: unknown) => void;
  /** The URL of the service as callers see it, ending with /v1; final once it listens. */
  readonly baseUrl: () => string;
  /** The URL of webhooks. */
  readonly webhookBaseUrl: () => string;
};
