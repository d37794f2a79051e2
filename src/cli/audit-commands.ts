import type { Command } from 'commander';
import type { CommandBuilders } from './command-builders.ts';

/** Adds the command that reads the audit log. */
export function addAuditCommand(
  program: Command,
  { does, listing }: Pick<CommandBuilders, 'does' | 'listing'>,
): void {
  does(
    listing(
      program.command('audit').description('List the events of the audit log, newest first (administrators)'),
    )
      .option('--actor <user>', 'id or e-mail address of a user')
      .option('--action <action>', 'such as workflow.activated')
      .option('--target-type <type>', 'such as workflow')
      .option('--target-id <id>', 'such as the id of a workflow')
      .option('--outcome <outcome>', 'success or failure')
      .option('--from <time>', 'events at or after this ISO 8601 time')
      .option('--to <time>', 'events before this ISO 8601 time')
      .option('--export', 'print all events that match as JSON lines, oldest first'),
    async () => (await import('./commands/audit.ts')).listAuditEvents,
  );
}
