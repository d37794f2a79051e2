import type { ConnectOptions } from '../../connect.ts';
import type { RunContext } from '../../run-context.ts';
import { UsageError } from '../../usage-error.ts';
import { readHidden } from '../input.ts';
import { remove, type DeleteOptions } from '../remove.ts';

export async function getPackApp(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const app = await client.packs.app.get(name, { signal });
  printer.show(app, () => printer.line(app.url));
  return undefined;
}

/** The secret is never an argument. */
export async function setPackApp(
  { client, printer, signal, terminal }: RunContext,
  _options: ConnectOptions,
  name = '',
): Promise<undefined> {
  const secret = await readHidden(terminal, `Signing secret of the app of ${name}: `);
  if (secret === '')
    throw new UsageError('An app needs a signing secret: pipe it in, or type it when asked.');
  const app = await client.packs.app.put(name, { signing_secret: secret }, { signal });
  printer.show(app, () =>
    printer.line(`The secret is stored. Enter this address at the service: ${app.url}`),
  );
  return undefined;
}

export async function deletePackApp(
  context: RunContext,
  options: DeleteOptions,
  name = '',
): Promise<number | undefined> {
  return remove(context, options, `the app of the pack ${name}`, () =>
    context.client.packs.app.delete(name, { signal: context.signal }),
  );
}
