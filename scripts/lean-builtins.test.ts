import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { leanBuiltins } from './lean-builtins.ts';

async function bundled(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [leanBuiltins],
  });
  return outputFiles[0]!.text;
}

test('a bundle imports no part of Node, and reads of one only what it uses', async () => {
  const text = await bundled(`
    import { STATUS_CODES } from 'node:http';
    import * as path from 'path';
    import fs, { existsSync } from 'node:fs';
    export const found = [STATUS_CODES[404], path.join('a', 'b'), existsSync('/'), fs.existsSync === existsSync];
  `);
  expect(text).not.toMatch(/^import/m);
  const read = new Set([...text.matchAll(/part\d*\["(\w+)"\]/g)].map(([, name]) => name));
  expect(read).toEqual(new Set(['STATUS_CODES', 'existsSync', 'join']));
  const { found } = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as { found: unknown };
  expect(found).toEqual(['Not Found', 'a/b', true, true]);
});

test('what is imported in a call is left as it is', async () => {
  expect(await bundled(`export const later = () => import('node:http2');`)).toContain('import("node:http2")');
});
