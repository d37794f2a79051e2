import type { CompletedCommand, Value } from './completed-command.ts';
import { commandSteps, quoted, valueOptions } from './script-parts.ts';

/** For bash 3.2 and newer. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const steps = commandSteps(commands).map(
    ({ patterns, path }) => `      ${patterns.map(quoted).join(' | ')}) at=${quoted(path)} ;;`,
  );
  const withValue = valueOptions(commands);
  const values = withValue.map(
    ({ patterns, value }) => `      ${patterns.map(quoted).join(' | ')}) ${candidates(value)} ;;`,
  );
  const rest = commands.map(({ path, commands: inner, options, argument }) => {
    const flags = options.flatMap((option) => option.flags).join(' ');
    const names = inner.map(({ name }) => name);
    return `    ${quoted(path)}) flags=${quoted(flags)}; ${candidates(names.length > 0 ? names : argument)} ;;`;
  });
  return `# Completion of weft for bash, made by "weft completion bash".
_weft() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' previous='' word words='' flags='' files=''
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
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
    if [[ $cur == -* ]]; then words=$flags files=''; fi
  fi
  if [[ -n $files ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _weft weft
`;
}

function candidates(value: Value): string {
  if (value === 'file') return 'files=1';
  return value === 'text' ? ':' : `words=${quoted(value.join(' '))}`;
}
