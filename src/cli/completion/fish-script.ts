import type { CompletedCommand, CompletedOption } from './completed-command.ts';
import { commandSteps, valueOptions } from './script-parts.ts';

/** For fish 3.1 and newer. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const steps = commandSteps(commands).map(
    ({ patterns, path }) =>
      `            case ${patterns.map(quoted).join(' ')}\n                set at ${quoted(path)}`,
  );
  const withValue = valueOptions(commands).flatMap(({ patterns }) => patterns.map(quoted));
  const lines = commands.flatMap((command) => {
    const at = `complete -c weft -n ${quoted(`__weft_at ${quoted(command.path)}`)}`;
    const names = command.commands.map(
      ({ name, description }) => `${at} -a ${quoted(name)}${descriptionOf(description)}`,
    );
    const { argument } = command;
    const candidates =
      names.length > 0 || argument === 'text'
        ? names
        : [argument === 'file' ? `${at} -F` : `${at} -a ${quoted(argument.join(' '))}`];
    return [...candidates, ...command.options.map((option) => `${at}${optionText(option)}`)];
  });
  return `# Completion of weft for fish, made by "weft completion fish".
function __weft_at --description 'Whether the words so far are this command'
    set -l at ''
    set -l is_value 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch "$at $word"
${steps.join('\n')}
            case ${withValue.join(' ')}
                set is_value 1
        end
    end
    test "$at" = "$argv[1]"
end
complete -c weft -f
${lines.join('\n')}
`;
}

function optionText({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  const takes =
    value === null
      ? ''
      : value === 'file'
        ? ' -r -F'
        : value === 'text'
          ? ' -x'
          : ` -x -a ${quoted(value.join(' '))}`;
  return `${names.join('')}${takes}${descriptionOf(description)}`;
}

function descriptionOf(text: string): string {
  return text === '' ? '' : ` -d ${quoted(text)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
