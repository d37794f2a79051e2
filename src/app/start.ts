import { bootstrap } from './bootstrap.ts';
import { loadConfig, placeOfData } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';

/** Signals so close (ms) to the first one are the same one. */
const SAME_SIGNAL = 300;

/**
 * Runs the service in this process until SIGTERM or SIGINT; a second signal ends it at once. Resolves with the exit code.
 * Throws an error fit for the terminal when it cannot start. Prints the address, and at the very first start the
 * administrator's password, which is written nowhere else.
 */
export async function startService(env: Environment, print: (line: string) => void): Promise<number> {
  const config = loadConfig(env);
  let isEnding = false;
  let stopNow = (_code: number): void => {};
  const ended = new Promise<number>((resolve) => {
    stopNow = resolve;
  });
  const context = bootstrap(config, {
    // Nothing can be made safe any more: whoever supervises the process starts it again, and recovery does the rest.
    fatal: (error) => {
      print(`Weft ends: ${error.message}`);
      process.exit(1);
    },
  });
  // Loaded while the store is being opened.
  const { createApp } = await import('./create-app.ts');
  const app = await createApp(config, context);
  let endingSince = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isEnding) {
      // A signal to a whole process group comes twice at once: by itself, and passed on by npm.
      if (performance.now() - endingSince < SAME_SIGNAL) return;
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    isEnding = true;
    endingSince = performance.now();
    print('Weft is stopping: what runs may finish; a second signal ends it at once.');
    app
      .leave()
      .then(() => app.stop())
      .then(
        () => stopNow(0),
        (error: unknown) => {
          print(`Weft could not stop cleanly: ${error instanceof Error ? error.message : String(error)}`);
          stopNow(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    print(
      'NODE_TLS_REJECT_UNAUTHORIZED has no effect: TLS certificates are always checked. NODE_EXTRA_CA_CERTS adds a private authority.',
    );
  print(`Weft ${config.version} is ready at ${app.url} (data in ${placeOfData(config)})`);
  print(`The editor is at ${new URL('/', app.url).href}`);
  const { firstAdmin } = app;
  if (firstAdmin?.isGenerated === true) {
    print(`The first administrator is ${firstAdmin.email} with the password ${firstAdmin.password}`);
    print('This password is shown once: keep it, or change it after the first login.');
  }
  return ended;
}
