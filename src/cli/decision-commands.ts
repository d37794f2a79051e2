import type { Command } from 'commander';
import type { CommandBuilders } from './command-builders.ts';

/** Adds the commands about decisions that executions ask for. */
export function addDecisionCommands(
  program: Command,
  { does, listing }: Pick<CommandBuilders, 'does' | 'listing'>,
): void {
  const load = () => import('./commands/decisions.ts');
  does(
    listing(program.command('inbox').description('List the decisions that you are asked for, newest first'))
      .option('--owned', 'decisions that your executions ask for')
      .option('--closed', 'decisions that were made, expired or were cancelled')
      .option('--search <text>', 'text in the title'),
    async () => (await load()).listDecisions,
  );
  does(
    program
      .command('decision')
      .description('Show a decision with its message, attachments, fields and responses')
      .argument('<id>', 'id from "weft inbox"')
      .option('--save <folder>', 'download its attachments into a folder; existing files are kept'),
    async () => (await load()).showDecision,
  );
  does(
    program
      .command('decide')
      .description('Respond to a decision')
      .argument('<id>', 'id from "weft inbox"')
      .argument('<choice>', 'name of one of its choices, such as approved')
      .option('--comment <text>', 'a text that is stored with the response')
      .option('--values <json>', 'values of its fields: a file, -, or a JSON value'),
    async () => (await load()).decide,
  );
}
