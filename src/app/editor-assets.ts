import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { EditorFiles } from '../api/editor/plugin.ts';

/** Reads the files of the built editor: next to the built service, or in dist/ when run from the sources. */
export function createEditorAssets(): EditorFiles {
  let folder: string | null = null;
  const at = (name: string): string => {
    const own = path.join(import.meta.dirname, 'web');
    folder ??= existsSync(path.join(own, 'index.html'))
      ? own
      : path.resolve(import.meta.dirname, '../../dist/web');
    return path.join(folder, name);
  };
  return {
    read: (name) => toNullIfMissing(readFile(at(name))),
    changedAt: async (name) => (await toNullIfMissing(stat(at(name))))?.mtimeMs ?? null,
  };
}

async function toNullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
