import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCompletedCommands, shells, type Shell } from '../../src/cli/completion/completion.ts';
import { createProgram } from '../../src/cli/program.ts';
import { runWeft, createTempFolder } from '../support/service.ts';

const folder = createTempFolder();
afterAll(() => folder.remove());

const program = createProgram(
  {
    env: {},
    stdin: new PassThrough(),
    columns: null,
    hasColor: false,
    isInteractive: false,
    out() {},
    err() {},
    interrupts: () => new AbortController().signal,
  },
  () => {},
  () => {},
);
const commands = listCompletedCommands(program);
const END = '-- end --';

/** A program in each shell that prints the completions of each line; the last word is completed. */
const drivers: Record<Shell, (script: string, lines: readonly string[][]) => string> = {
  bash: (script, lines) => `
    source ${script}
    offer() {
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft 2>/dev/null
      printf '%s\n' "\${COMPREPLY[@]}"; echo '${END}'
    }
    ${lines.map((words) => `offer ${words.map(quoted).join(' ')}`).join('\n')}`,
  // The functions of zsh's completion system are replaced, so that it can be called outside of the line
  // editor.
  zsh: (script, lines) => `
    compdef() { :; }
    _files() { print -l -- *(N) }
    compadd() { print -l -- "\${(@P)2}" }
    _describe() { local name=\${@[-1]}; print -l -- "\${(@)\${(@P)name}%%:*}" }
    source ${script}
    offer() { words=("$@"); CURRENT=$#; _weft; print -- '${END}' }
    ${lines.map((words) => `offer ${words.map(quoted).join(' ')}`).join('\n')}`,
  fish: (script, lines) => `
    source ${script}
    ${lines.map((words) => `complete -C ${quoted(words.join(' '))}; echo '${END}'`).join('\n')}`,
};

function quoted(text: string): string {
  return `'${text}'`;
}

describe.each(shells)('%s', (shell) => {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  let script: string;
  beforeAll(async () => {
    const { code, stdout } = await runWeft(['completion', shell], {});
    expect(code).toBe(0);
    script = path.join(folder.path, `weft.${shell}`);
    writeFileSync(script, stdout);
    writeFileSync(path.join(folder.path, 'a file.json'), '{}');
  });

  /** What a real shell offers, sorted, without the descriptions of fish. */
  function offered(lines: readonly string[][]): string[][] {
    const quiet = { bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config'] }[shell];
    const { stdout, stderr } = spawnSync(shell, [...quiet, '-c', drivers[shell](script, lines)], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, LANG: 'C.UTF-8' },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const blocks = stdout.split(`${END}\n`).slice(0, -1);
    expect(blocks).toHaveLength(lines.length);
    return blocks.map((block, i) =>
      block
        .split('\n')
        .map((line) => line.split('\t')[0]!)
        // The replacements of zsh's functions do not filter by the typed text.
        .filter((line) => line !== '' && line.startsWith(lines[i]!.at(-1)!))
        .toSorted(),
    );
  }

  test.skipIf(!isInstalled)('offers the commands and options of every command', () => {
    const at = (one: (typeof commands)[number]) => [
      'weft',
      ...one.path.split(' ').filter((word) => word !== ''),
    ];
    const groups = commands.filter((one) => one.commands.length > 0);
    expect(offered(groups.map((one) => [...at(one), '']))).toEqual(
      groups.map((one) => one.commands.map(({ name }) => name).toSorted()),
    );
    expect(offered(commands.map((one) => [...at(one), '--']))).toEqual(
      commands.map((one) =>
        one.options.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith('--'))).toSorted(),
      ),
    );
  });

  test.skipIf(!isInstalled)('offers values and files, and no completions for free text', () => {
    const files = expect.arrayContaining([expect.stringContaining('a file.json')]) as string[];
    const cases: [string[], string[]][] = [
      [
        ['weft', 'workflows', 'list', '--status', ''],
        ['active', 'draft', 'inactive'],
      ],
      [['weft', 'workflow', 'list', '--status', 'a'], ['active']],
      [['weft', 'logs', 'ex_1', '--level', 'w'], ['warning']],
      [
        ['weft', 'completion', ''],
        ['bash', 'fish', 'zsh'],
      ],
      [
        ['weft', '--profile', 'workflows', 'keys', ''],
        ['create', 'delete', 'list'],
      ],
      [['weft', 'workflows', 'list', '--tag', ''], []],
      [['weft', 'wor'], ['workflows']],
      [['weft', 'apply', ''], files],
      [['weft', 'nodes', 'create', '-f', ''], files],
    ];
    const found = offered(cases.map(([words]) => words));
    cases.forEach(([words, wanted], i) => expect(found[i], words.join(' ')).toEqual(wanted));
  });
});

test.skipIf(spawnSync('zsh', ['--version']).status !== 0)(
  'zsh completes a word in its line editor',
  async () => {
    const { stdout } = await runWeft(['completion', 'zsh'], {});
    const script = path.join(folder.path, 'editor.zsh');
    writeFileSync(script, stdout);
    const driver = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "autoload -Uz compinit && compinit -u -D; source ${script}"
    zpty -w shell "weft() { print -r -- r''an: \\$* }; print rea''dy"
    zpty -r -m shell line '*ready*'
    zpty -w -n shell $'weft workf\tli\t--sta\tina\t\n'
    zpty -r -m shell line '*ran: *active*'
    print -r -- $line
    zpty -d shell`;
    const { stdout: shown } = spawnSync('zsh', ['-f', '-c', driver], {
      env: { PATH: process.env.PATH, HOME: folder.path, TERM: 'dumb' },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(shown).toContain('ran: workflows list --status inactive');
  },
);

test('an unknown shell is rejected with the supported ones', async () => {
  const { code, stderr } = await runWeft(['completion', 'tcsh'], {});
  expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
