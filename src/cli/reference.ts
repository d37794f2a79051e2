import type { Command } from 'commander';

/** Returns the part of docs/cli.md that lists every command with its arguments and options, in Markdown. */
export function formatCommandReference(program: Command): string {
  const lines: string[] = [];
  const work: { command: Command; names: string[] }[] = [...program.commands].map((command) => ({
    command,
    names: [command.name()],
  }));
  for (let next = work.shift(); next !== undefined; next = work.shift()) {
    const { command, names } = next;
    const inner = command.commands.map((one) => ({ command: one, names: [...names, one.name()] }));
    work.unshift(...inner);
    if (inner.length === 0) lines.push(...describeCommand(command, names));
  }
  return `${lines.join('\n').trim()}\n`;
}

function describeCommand(command: Command, names: readonly string[]): string[] {
  const given = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const options = command.options.map(({ flags, description, argChoices }) => {
    const choices =
      argChoices === undefined ? '' : `one of ${argChoices.map((one) => `\`${one}\``).join(', ')}`;
    const text = [description, choices].filter((one) => one !== '').join('; ');
    return `- \`${flags}\`${text === '' ? '' : `: ${text}`}`;
  });
  return [
    '',
    `### \`weft ${[...names, ...given].join(' ')}\``,
    '',
    `${command.description().replace(/\.$/, '')}.`,
    ...(options.length === 0 ? [] : ['', ...options]),
  ];
}
