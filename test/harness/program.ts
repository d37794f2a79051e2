import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const { isBuilt } = createRequire(import.meta.url)('../../scripts/build-state.cjs') as {
  isBuilt: (root: string) => boolean;
};

/** The entry of the `weft` command: what users run, as long as it is what the sources say; it starts in a third of the time. */
export const weftProgram = path.join(root, isBuilt(root) ? 'dist/weft.js' : 'src/cli/weft.ts');
