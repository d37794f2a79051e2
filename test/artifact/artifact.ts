import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { findWeftProgram } from '../support/program.ts';
import { spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Copies the files of the package and links its dependencies: the program without its sources. */
function copyProgram(folder: string): void {
  // Refuses a stale build.
  findWeftProgram(root);
  const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] };
  for (const file of ['package.json', ...files.filter((name) => !name.startsWith('!'))])
    cpSync(path.join(root, file), path.join(folder, file), {
      recursive: true,
      filter: (source) => !source.endsWith('.map') && !source.endsWith('.built-from'),
    });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  expect(readdirSync(folder).toSorted()).toEqual(['dist', 'node_modules', 'package.json', 'scripts']);
}

/** The service started from such a folder, for one file of tests. Call it once, before other hooks. */
export function startArtifactService(env: Record<string, string> = {}): { readonly weft: SpawnedService } {
  const folder = createTempFolder();
  let weft: SpawnedService | null = null;
  beforeAll(async () => {
    const program = path.join(folder.path, 'program');
    mkdirSync(program);
    copyProgram(program);
    weft = await spawnService({
      dataDir: path.join(folder.path, 'data'),
      program: path.join(program, 'scripts/weft.cjs'),
      cwd: program,
      env,
    });
  });
  afterAll(async () => {
    await weft?.stop();
    folder.remove();
  });
  return {
    get weft() {
      return weft!;
    },
  };
}
