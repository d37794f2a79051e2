import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist/web');

type Sizes = Record<string, { size: number; br?: number; gz?: number }>;
type Output = { imports: { path: string; kind: string }[]; entryPoint?: string };

const KB = 1_024;
let sizes: Sizes;
let outputs: Record<string, Output>;

beforeAll(async () => {
  const { ensureBuilt } = (await import(path.join(root, 'scripts/build.mjs'))) as {
    ensureBuilt: (root: string, say: () => void) => Promise<void>;
  };
  await ensureBuilt(root, () => {});
  sizes = (JSON.parse(readFileSync(path.join(dist, 'files.json'), 'utf8')) as { assets: Sizes }).assets;
  outputs = (
    JSON.parse(readFileSync(path.join(dist, 'metafile.json'), 'utf8')) as { outputs: typeof outputs }
  ).outputs;
});

/** The files and all their static imports. */
function withImports(...files: string[]): Set<string> {
  const found = new Set<string>();
  const pending = [...files];
  while (pending.length > 0) {
    const next = pending.pop()!;
    if (found.has(next)) continue;
    found.add(next);
    for (const { path: imported, kind } of outputs[next]?.imports ?? [])
      if (kind === 'import-statement') pending.push(imported);
  }
  return found;
}

const findOutput = (entry: string): string => {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (found === undefined) throw new Error(`${entry} is not a separate entry of the build.`);
  return found[0];
};

/** The files of every first page: main.tsx loads the language, then the app. */
const firstPage = (): Set<string> =>
  withImports(findOutput('web/src/main.tsx'), findOutput('web/src/app/app.tsx'));

const compressed = (files: Iterable<string>, as: 'br' | 'gz'): number =>
  [...files]
    .filter((file) => file.endsWith('.js'))
    .reduce((sum, file) => sum + (sizes[path.basename(file)]?.[as] ?? Number.NaN), 0);

test('the first page needs less than 200 KB of script, also with gzip', () => {
  const first = firstPage();
  expect(compressed(first, 'br')).toBeGreaterThan(50 * KB);
  expect(compressed(first, 'br')).toBeLessThan(170 * KB);
  expect(compressed(first, 'gz')).toBeLessThan(200 * KB);
});

test('the first page needs few files, and every other page at most 30 more', () => {
  const first = firstPage();
  expect(first.size).toBeLessThanOrEqual(6);
  const pages = Object.entries(outputs).filter(([, { entryPoint }]) =>
    /^lazy:.*-page\.tsx$/.test(entryPoint ?? ''),
  );
  expect(pages.length).toBeGreaterThan(15);
  for (const [file, { entryPoint }] of pages) {
    const more = [...withImports(file)].filter((imported) => !first.has(imported));
    expect(more.length, entryPoint).toBeLessThanOrEqual(30);
  }
});

test('the canvas and the code editor add less than 450 KB together', () => {
  const first = firstPage();
  const more = new Set<string>();
  for (const entry of ['lazy:web/src/canvas/page/editor-page.tsx', 'lazy:web/src/ui/code/code-mirror.tsx'])
    for (const file of withImports(findOutput(entry))) if (!first.has(file)) more.add(file);
  expect(compressed(more, 'gz')).toBeGreaterThan(100 * KB);
  expect(compressed(more, 'gz')).toBeLessThan(450 * KB);
});

test('the style sheet is less than 40 KB compressed', () => {
  const sheet = Object.entries(sizes).find(([name]) => /^main-.*\.css$/.test(name));
  expect(sheet?.[1].gz).toBeLessThan(40 * KB);
});
