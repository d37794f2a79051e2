import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const web = path.resolve(import.meta.dirname, '../web/src');
const sheets = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.css'),
);

/** The part of the editor that a style sheet belongs to. Each sheet in `pages/` is a separate part. */
const getPart = (file: string): string => (file.startsWith('pages/') ? file : file.split('/')[0]!);

test('each class is styled by one part of the editor', () => {
  // All sheets are bundled into one, so two parts with the same class would affect each other.
  expect(sheets.length).toBeGreaterThan(10);
  const parts = new Map<string, Set<string>>();
  for (const file of sheets) {
    const text = readFileSync(path.join(web, file), 'utf8');
    for (const [, name] of text.matchAll(/^\.([a-z][\w-]*)\s*\{/gm))
      parts.set(name!, (parts.get(name!) ?? new Set()).add(getPart(file)));
  }
  expect(parts.size).toBeGreaterThan(100);
  expect(
    [...parts].filter(([, of]) => of.size > 1).map(([name, of]) => `.${name}: ${[...of].join(', ')}`),
  ).toEqual([]);
});

test('every style sheet is imported, starting from main.css', () => {
  const named = new Set(['styles/main.css']);
  for (const file of sheets)
    for (const [, target] of readFileSync(path.join(web, file), 'utf8').matchAll(/^@import '(\.[^']+)'/gm))
      named.add(path.posix.join(path.posix.dirname(file), target!));
  expect(sheets.filter((file) => !named.has(file))).toEqual([]);
});
