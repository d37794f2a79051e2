import type { ConnectOptions } from '../connect.ts';
import { exitCodes } from '../error-message.ts';
import { confirm } from '../terminal/prompt.ts';
import type { RunContext } from '../run-context.ts';

/** Options of every delete command. */
export type DeleteOptions = ConnectOptions & { readonly yes?: boolean };

/**
 * Deletes after confirmation or with --yes; returns 1 otherwise. @throws {UsageError} when no user can be
 * prompted.
 */
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
