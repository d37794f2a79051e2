import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** SQLite takes paths of at most 512 bytes; the longest name in the folder has its part of them. */
const LONGEST = 460;

/**
 * Makes the data folder, with mode 0700, and the ones above it where they are missing. Throws an error fit for the terminal
 * when that cannot be. One folder at a time: `recursive` of Node never ends where nothing can be made, as in `/proc`.
 */
export function makeDataFolder(dataDir: string): void {
  const bytes = Buffer.byteLength(path.resolve(dataDir));
  if (bytes > LONGEST)
    throw new Error(`WEFT_DATA_DIR got a path of ${bytes} bytes; it takes one of at most ${LONGEST}.`);
  const missing: string[] = [];
  for (let at = path.resolve(dataDir); !existsSync(at); at = path.dirname(at)) missing.push(at);
  try {
    for (const folder of missing.reverse()) mkdirSync(folder, { mode: 0o700 });
    // Of what is there already it tells whether it is a folder.
    mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `WEFT_DATA_DIR got "${dataDir}", which is no folder and cannot be made one (${code}); it takes the path of a folder.`,
      { cause: error },
    );
  }
}
