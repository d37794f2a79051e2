import { createRequire } from 'node:module';
import path from 'node:path';

const projectRoot = path.resolve(import.meta.dirname, '../..');
const { isBuilt } = createRequire(import.meta.url)('../../scripts/build-state.cjs') as {
  isBuilt: (root: string) => boolean;
};

/**
 * The entry file of the built `weft` command.
 * @throws when the build is missing or stale, so that a test never checks another program than the shipped
 * one.
 */
export function findWeftProgram(root: string = projectRoot): string {
  if (!isBuilt(root))
    throw new Error('dist/ is missing or older than its sources; run "npm run build" first');
  return path.join(root, 'dist/weft.js');
}
