import { bootstrap } from './bootstrap.ts';
import { loadConfig, formatDataLocation } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';

/** Signals within this time of the first one count as the same signal. */
const SIGNAL_DEBOUNCE_MS = 300;

/**
 * Runs the service in this process until SIGTERM or SIGINT; a second signal ends it at once. Resolves with
 * the exit code. Throws an error for the terminal when the service cannot start. Prints the URL, and on the
 * very first start the administrator's password, which is stored nowhere else in plain text.
 */
export async function startService(env: Environment, print: (line: string) => void): Promise<number> {
  const config = loadConfig(env);
  let isStopping = false;
  let stopNow = (_code: number): void => {};
  const ended = new Promise<number>((resolve) => {
    stopNow = resolve;
  });
  const context = bootstrap(config, {
    // No further write is possible. The supervisor restarts the process, and recovery resumes the executions.
    fatal: (error) => {
      print(`Fatal error, shutting down: ${error.message}`);
      process.exit(1);
    },
  });
  // Loaded while the store is being opened.
  const { createApp } = await import('./create-app.ts');
  const app = await createApp(config, context);
  let stoppingSince = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      // A signal to a process group arrives twice: directly, and forwarded by npm.
      if (performance.now() - stoppingSince < SIGNAL_DEBOUNCE_MS) return;
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    isStopping = true;
    stoppingSince = performance.now();
    print('Weft is stopping: running nodes may finish. A second signal stops it immediately.');
    app
      .leave()
      .then(() => app.stop())
      .then(
        () => stopNow(0),
        (error: unknown) => {
          print(`Weft failed to stop cleanly: ${error instanceof Error ? error.message : String(error)}`);
          stopNow(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    print(
      'NODE_TLS_REJECT_UNAUTHORIZED has no effect: TLS certificates are always verified. Use NODE_EXTRA_CA_CERTS to add a private authority.',
    );
  print(`Weft ${config.version} is ready at ${app.url} (data in ${formatDataLocation(config)})`);
  print(`The editor is at ${new URL('/', app.url).href}`);
  const { firstAdmin } = app;
  if (firstAdmin?.isGenerated === true) {
    print(`The first administrator is ${firstAdmin.email} with the password ${firstAdmin.password}`);
    print('This password is shown only once: store it, or change it after the first login.');
  }
  return ended;
}
