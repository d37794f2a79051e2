import { createApp, type App } from '../../src/app/create-app.ts';
import { bootstrap } from '../../src/app/bootstrap.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { adminEmail, adminPassword, caller, type Call } from './service.ts';

export type InProcess = { service: App; url: string; login(): Promise<Call>; call: Call };

/**
 * The whole service in this process, for tests that control its clock, with a real store and real HTTP. All
 * other tests use `spawnService`. A file that uses this has an entry in test/in-process.test.ts.
 */
export async function startInProcess(options: {
  dataDir: string;
  clock: Clock;
  env?: Record<string, string>;
}): Promise<InProcess> {
  const config = loadConfig({
    PORT: '0',
    WEFT_DATA_DIR: options.dataDir,
    WEFT_ADMIN_EMAIL: adminEmail,
    WEFT_ADMIN_PASSWORD: adminPassword,
    WEFT_ALLOWED_HOSTS: '127.0.0.1',
    WEFT_LOG_LEVEL: 'error',
    ...options.env,
  });
  const context = bootstrap(config, {
    clock: options.clock,
    fatal: (error) => {
      throw error;
    },
  });
  const service = await createApp(config, context);
  const { url } = service;
  const call = caller(url);
  return {
    service,
    url,
    call,
    async login() {
      const response = await call('POST', '/auth/login', {
        body: { email: adminEmail, password: adminPassword },
      });
      if (response.status !== 200) throw new Error(`The login failed: ${response.text}`);
      return caller(url, { authorization: `Bearer ${(response.body as { token: string }).token}` });
    },
  };
}
