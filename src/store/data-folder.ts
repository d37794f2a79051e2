import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** SQLite accepts paths of at most 512 bytes; the longest file name in the folder needs the rest. */
const MAX_PATH_BYTES = 460;

/**
 * Creates the data folder with mode 0700, and missing folders above it. Throws an error that the CLI can
 * print when it cannot. `recursive` is used one folder at a time, because in Node it never returns where
 * folders cannot be created, as in `/proc`.
 */
export function makeDataFolder(dataDir: string): void {
  const bytes = Buffer.byteLength(path.resolve(dataDir));
  if (bytes > MAX_PATH_BYTES)
    throw new Error(
      `WEFT_DATA_DIR must be a path of at most ${MAX_PATH_BYTES} bytes; this one has ${bytes}.`,
    );
  const missing: string[] = [];
  for (let at = path.resolve(dataDir); !existsSync(at); at = path.dirname(at)) missing.push(at);
  try {
    for (const folder of missing.reverse()) mkdirSync(folder, { mode: 0o700 });
    // For an existing path, throws unless it is a folder.
    mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `WEFT_DATA_DIR must be the path of a folder; "${dataDir}" is not a folder and cannot be created (${code}).`,
      { cause: error },
    );
  }
}
