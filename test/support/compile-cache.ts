import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Runs before all tests, and fills the compile cache with the modules of the store's threads.
 *
 * Without the cache, each thread removes the types from these modules itself, for which Node uses
 * WebAssembly. When several threads of a process do so at once, V8's registry of generated code fails a check
 * and ends the process with SIGTRAP or SIGSEGV. The built program contains no types and is not affected.
 */
export function setup(): void {
  if (process.env['NODE_COMPILE_CACHE'] === undefined) return;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'weft-cache-'));
  const store = new URL('../../src/store/sqlite/open-store.ts', import.meta.url);
  const script = `
    import { openSqliteStore } from ${JSON.stringify(store.href)};
    const store = await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now });
    await store.close();`;
  try {
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
