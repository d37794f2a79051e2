import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrations } from '../../src/store/migrations/migrations.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The program as it was before newer migrations, in a folder of its own. */
export type EarlierBuild = { readonly commit: string; readonly program: string; remove(): void };

const LIST = 'src/store/migrations/migrations.ts';

/**
 * The newest commit whose schema this program migrates, and whose program may run beside it: one before a
 * change of the migrations, because a commit within a change may not build. Null without the history, in a
 * shallow clone or without Git, and when there is none.
 */
export function findEarlierCommit(): string | null {
  try {
    const changes = git('log', '--first-parent', '-m', '--format=%H', '--', LIST).split('\n');
    const change = changes.find((commit) => isEarlier(git('show', `${commit}^:${LIST}`)));
    return change === undefined ? null : git('rev-parse', `${change}^`);
  } catch {
    return null;
  }
}

/** Whether its migrations are the first ones of this program's, and none of the others is breaking. */
function isEarlier(list: string): boolean {
  const names = [...list.matchAll(/name: '(\d{4}-[\w-]+)'/g)].map((match) => match[1]);
  const isBeginning = names.every((name, i) => name === migrations[i]?.name);
  const others = migrations.slice(names.length);
  return isBeginning && others.length > 0 && others.every(({ isBreaking }) => isBreaking !== true);
}

/** Builds the service of a commit with the installed packages. Takes about ten seconds. */
export function buildEarlier(commit: string): EarlierBuild {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-earlier-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  // A folder of its own, because the build keeps a cache in it.
  const packages = path.join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(path.join(root, 'node_modules', name), path.join(packages, name));
  const build = `const { buildParts } = await import('./scripts/build.mjs');
    await buildParts(process.cwd(), console.error, () => ['service']);`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', build], { cwd: folder, stdio: 'pipe' });
  return {
    commit,
    program: path.join(folder, 'dist/weft.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
