import { createClientFor, readTarget, type ConnectOptions } from '../connect.ts';
import { exitCodes } from '../error-message.ts';
import { getStatusPaint } from '../terminal/printer.ts';
import type { RunContext } from '../run-context.ts';
import { formatDuration } from '../terminal/text.ts';

/** Prints the health of the service; returns 1 when it is unhealthy. Needs no credential. */
export async function showHealth(
  { printer, signal, terminal }: RunContext,
  options: ConnectOptions,
): Promise<number | undefined> {
  const target = readTarget(terminal.env, options);
  const health = await createClientFor(terminal.env, target).health.get({ signal, retries: 0 });
  printer.show({ url: target.url, ...health }, () =>
    printer.record([
      ['service', target.url],
      ['status', health.status, getStatusPaint(health.status)],
      ['version', health.version],
      ['up for', formatDuration(health.uptime)],
      ...Object.entries(health.checks).map(
        ([name, check]) => [name, String(check['status']), getStatusPaint(String(check['status']))] as const,
      ),
    ]),
  );
  return health.status === 'ok' ? undefined : exitCodes.failed;
}
