import type { ConnectOptions } from '../connect.ts';
import { exitCodes } from '../error-message.ts';
import { confirm } from '../prompt.ts';
import type { RunContext } from '../run-context.ts';

/** Options of everything that deletes. */
export type DeleteOptions = ConnectOptions & { readonly yes?: boolean };

/** Deletes after a person, or --yes, has said so; 1 when not. @throws {UsageError} when nobody can be asked. */
export async function remove(
  { printer, terminal }: RunContext,
  options: DeleteOptions,
  what: string,
  run: () => Promise<object>,
): Promise<number | undefined> {
  if (options.yes !== true && !(await confirm(terminal, `Delete ${what}?`))) {
    printer.note('Nothing was deleted.');
    return exitCodes.failed;
  }
  const deleted = await run();
  printer.show(deleted, () => printer.line(`Deleted ${what}.`));
  return undefined;
}
