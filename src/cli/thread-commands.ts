import type { Command } from 'commander';
import type { CommandBuilders } from './command-builders.ts';

/** Adds the commands about threads, the memory of agents. */
export function addThreadCommands(
  program: Command,
  { does, listing, deleting }: Pick<CommandBuilders, 'does' | 'listing' | 'deleting'>,
): void {
  const load = () => import('./commands/threads.ts');
  const threads = program.command('threads').description('Read and delete the threads that agents continue');
  does(
    listing(threads.command('list').description('List threads, last changed first'))
      .option('--workflow <id-or-name>', 'threads of this workflow')
      .option('--namespace <name>', 'threads of this namespace')
      .option('--search <text>', 'text in the key'),
    async () => (await load()).listThreads,
  );
  does(
    threads
      .command('get')
      .description('Show a thread with its newest turns')
      .argument('<id>', 'id from "weft threads list"'),
    async () => (await load()).showThread,
  );
  does(
    deleting(
      threads
        .command('delete')
        .description('Delete a thread with all of its turns')
        .argument('<id>', 'id from "weft threads list"'),
    ),
    async () => (await load()).deleteThread,
  );
}

/** Adds the commands about vector collections. */
export function addVectorCommands(
  program: Command,
  { does, listing, deleting }: Pick<CommandBuilders, 'does' | 'listing' | 'deleting'>,
): void {
  const load = () => import('./commands/vector-collections.ts');
  const collections = program
    .command('vector-collections')
    .description('Read and delete the collections that vector stores fill');
  does(
    listing(collections.command('list').description('List vector collections by name')).option(
      '--search <text>',
      'text in the name',
    ),
    async () => (await load()).listCollections,
  );
  does(
    collections
      .command('get')
      .description('Show a vector collection')
      .argument('<name>', 'name from "weft vector-collections list"'),
    async () => (await load()).showCollection,
  );
  does(
    deleting(
      collections
        .command('delete')
        .description('Delete a vector collection with all of its documents')
        .argument('<name>', 'name from "weft vector-collections list"'),
    ),
    async () => (await load()).deleteCollection,
  );
}
