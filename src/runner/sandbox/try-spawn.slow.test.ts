import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Uses all descriptors of the process, then runs code, and frees them. */
const program = (sandbox: string): string => `
  import { closeSync, openSync } from 'node:fs';
  const { createSandbox } = await import(${JSON.stringify(sandbox)});
  const sandbox = createSandbox({ warn() {} });
  const run = (source) =>
    sandbox.run({ ownerId: 'u', source, argument: null, timeout: 20_000, signal: new AbortController().signal, log() {} });
  // A process is kept for the next call only after a call of less than 200 ms, and the first one starts it.
  let began;
  do {
    began = performance.now();
    await run('export default () => 1');
  } while (performance.now() - began > 150);
  const open = [];
  try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
  for (let i = 0; i < Number(process.argv[2]); i++) closeSync(open.pop());
  const busy = run('export default () => { const end = Date.now() + 800; while (Date.now() < end); return 1; }');
  const second = run('export default () => 2');
  setTimeout(() => open.forEach((one) => closeSync(one)), 1_500);
  const results = await Promise.all([busy, second]);
  console.log(JSON.stringify(results.map(({ kind, error }) => error?.data?.code ?? kind)));
  sandbox.close();
`;

test.skipIf(process.platform === 'win32').each([0, 1, 3, 5])(
  'with %i descriptors left, a process of the sandbox does not start, and the service lives',
  (left) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'weft-descriptors-'));
    try {
      const file = path.join(folder, 'program.mjs');
      writeFileSync(file, program(new URL('sandbox.ts', import.meta.url).href));
      const command = `ulimit -n 100; exec "$0" --no-warnings "$1" "$2"`;
      const { status, stdout, stderr } = spawnSync(
        'sh',
        ['-c', command, process.execPath, file, String(left)],
        {
          encoding: 'utf8',
          timeout: 60_000,
        },
      );
      expect(stderr).toBe('');
      expect(status).toBe(0);
      expect(stdout.trim()).toMatch(/^\["value","(?:value|CODE_UNAVAILABLE)"\]$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
