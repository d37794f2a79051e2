import { Option, type Command } from 'commander';
import { usageGroupNames } from '../../contract/requests/model-usage.ts';
import type { CommandBuilders } from '../command-builders.ts';

/** Adds the commands about calls of language models. */
export function addUsageCommands(program: Command, { does }: Pick<CommandBuilders, 'does'>): void {
  const load = () => import('./usage.ts');
  const usage = program.command('usage').description('Show the calls of language models and their prices');
  does(
    usage
      .command('get')
      .description('Show the number of calls, their tokens and their cost')
      .option('--from <day>', 'first day (UTC), ISO 8601 (default: 29 days before the last day)')
      .option('--to <day>', 'last day (UTC), ISO 8601 (default: today)')
      .addOption(
        new Option('--by <group...>', 'what the calls are summed by (default: day)').choices(usageGroupNames),
      )
      .option('--workflow <id-or-name>', 'calls of this workflow')
      .option('--model <model>', 'calls of this model: provider/model')
      .option('--user <id>', 'calls of this user, or "all"; for administrators')
      .option('--limit <number>', 'maximum number of groups (default: 100)', Number),
    async () => (await load()).showUsage,
  );
  const prices = usage.command('prices').description('Manage the prices of language models');
  does(
    prices.command('list').description('List the prices, in US dollars for a million tokens'),
    async () => (await load()).listPrices,
  );
  does(
    prices
      .command('set')
      .description('Store the price of a model; for administrators')
      .argument('<model>', 'provider/model, which may end with *')
      .requiredOption('--input <price>', 'US dollars for a million tokens of input', Number)
      .requiredOption('--output <price>', 'US dollars for a million tokens of output', Number)
      .option('--cached-input <price>', 'for cached input (default: the price of input)', Number),
    async () => (await load()).setPrice,
  );
  does(
    prices
      .command('delete')
      .description('Delete the stored price of a model; for administrators')
      .argument('<model>', 'as in "weft usage prices list"'),
    async () => (await load()).deletePrice,
  );
}
