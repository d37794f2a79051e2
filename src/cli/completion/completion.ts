import type { Command } from 'commander';
import { createBashScript } from './bash-script.ts';
import type { CompletedCommand, CompletedOption, Value } from './completed-command.ts';
import { createFishScript } from './fish-script.ts';
import { createZshScript } from './zsh-script.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Names of values that are files or folders. */
const FILE_VALUES = new Set(['file', 'files', 'folder', 'place', 'json']);

const scripts: Record<Shell, (commands: readonly CompletedCommand[]) => string> = {
  bash: createBashScript,
  zsh: createZshScript,
  fish: createFishScript,
};

/** Returns a script that completes the commands and options of `weft`, generated from their definitions. */
export function createCompletionScript(program: Command, shell: Shell): string {
  return scripts[shell](listCompletedCommands(program));
}

/** Returns every command with its completions, the program itself first. */
export function listCompletedCommands(program: Command): CompletedCommand[] {
  const found: CompletedCommand[] = [];
  const work: { command: Command; path: string }[] = [{ command: program, path: '' }];
  for (let next = work.shift(); next !== undefined; next = work.shift()) {
    const { command, path } = next;
    const isProgram = command === program;
    found.push({
      path,
      commands: command.commands.map((one) => ({
        name: one.name(),
        aliases: one.aliases(),
        description: one.description(),
      })),
      options: [
        ...describeOptions(command),
        // Global options are accepted anywhere on the line.
        ...(isProgram ? [] : describeOptions(program).filter(({ flags }) => !flags.includes('--version'))),
        { flags: ['-h', '--help'], description: 'show the help', value: null },
      ],
      argument: describeArgument(command),
    });
    work.push(
      ...command.commands.map((one) => ({
        command: one,
        path: isProgram ? one.name() : `${path} ${one.name()}`,
      })),
    );
  }
  return found;
}

function describeOptions(command: Command): CompletedOption[] {
  return command.options.map(({ short, long, flags, description, argChoices, required, optional }) => ({
    flags: [short, long].filter((flag) => typeof flag === 'string'),
    description,
    value: required || optional ? describeValue(/[<[]([\w-]+)/.exec(flags)?.[1] ?? '', argChoices) : null,
  }));
}

function describeArgument({ registeredArguments }: Command): Value {
  const [first] = registeredArguments;
  return first === undefined ? 'text' : describeValue(first.name(), first.argChoices);
}

function describeValue(name: string, choices: readonly string[] | undefined): Value {
  return choices ?? (FILE_VALUES.has(name) ? 'file' : 'text');
}
