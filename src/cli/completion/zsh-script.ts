import type { CompletedCommand, CompletedOption, Value } from './completed-command.ts';
import { commandSteps, quoted, valueOptions } from './script-parts.ts';

/** For zsh: a file `_weft` in a folder of `fpath`, or a script to be sourced after `compinit`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const steps = commandSteps(commands).map(
    ({ patterns, path }) => `      ${patterns.map(quoted).join(' | ')}) at=${quoted(path)} ;;`,
  );
  const withValue = valueOptions(commands);
  const values = withValue.map(
    ({ patterns, value }) => `      ${patterns.map(quoted).join(' | ')}) ${candidates(value)} ;;`,
  );
  const rest = commands.map(({ path, commands: inner, options, argument }) => {
    const names = inner.map(({ name, description }) => described(name, description));
    const next = names.length > 0 ? `described=(${names.join(' ')})` : candidates(argument);
    return `    ${quoted(path)}) flags=(${options.flatMap(describedFlags).join(' ')}); ${next} ;;`;
  });
  return `#compdef weft
# Completion of weft for zsh, made by "weft completion zsh".
_weft() {
  local at='' previous='' word files=''
  local -a described flags choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $previous ]]; then previous=''; continue; fi
    case "$at $word" in
${steps.join('\n')}
      ${withValue.flatMap(({ patterns }) => patterns.map(quoted)).join(' | ')}) previous=$word ;;
    esac
  done
  if [[ -n $previous ]]; then
    case "$at $previous" in
${values.join('\n')}
    esac
  else
    case "$at" in
${rest.join('\n')}
    esac
    if [[ $words[CURRENT] == -* ]]; then
      _describe -o option flags
      return
    fi
  fi
  if [[ -n $files ]]; then _files
  elif (( $#choices )); then compadd -a choices
  elif (( $#described )); then _describe command described
  fi
}
if [[ $funcstack[1] == _weft ]]; then _weft "$@"; else compdef _weft weft; fi
`;
}

function describedFlags({ flags, description }: CompletedOption): string[] {
  return flags.map((flag) => described(flag, description));
}

/** `name:description`, the format of _describe. */
function described(name: string, description: string): string {
  return quoted(description === '' ? name : `${name}:${description}`);
}

function candidates(value: Value): string {
  if (value === 'file') return 'files=1';
  return value === 'text' ? ':' : `choices=(${value.map(quoted).join(' ')})`;
}
