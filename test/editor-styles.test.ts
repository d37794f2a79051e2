import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const web = path.resolve(import.meta.dirname, '../web/src');
const sheets = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.css'),
);

/** The part of the editor that a style sheet is of: of `pages/` each sheet is one for itself. */
const partOf = (file: string): string => (file.startsWith('pages/') ? file : file.split('/')[0]!);

test('a class is styled by one part of the editor alone', () => {
  // All sheets are one in the end: two parts with one name would dress each other.
  expect(sheets.length).toBeGreaterThan(10);
  const parts = new Map<string, Set<string>>();
  for (const file of sheets) {
    const text = readFileSync(path.join(web, file), 'utf8');
    for (const [, name] of text.matchAll(/^\.([a-z][\w-]*)\s*\{/gm))
      parts.set(name!, (parts.get(name!) ?? new Set()).add(partOf(file)));
  }
  expect(parts.size).toBeGreaterThan(100);
  expect(
    [...parts].filter(([, of]) => of.size > 1).map(([name, of]) => `.${name}: ${[...of].join(', ')}`),
  ).toEqual([]);
});

test('every style sheet is named by another one, from main.css down', () => {
  const named = new Set(['styles/main.css']);
  for (const file of sheets)
    for (const [, target] of readFileSync(path.join(web, file), 'utf8').matchAll(/^@import '(\.[^']+)'/gm))
      named.add(path.posix.join(path.posix.dirname(file), target!));
  expect(sheets.filter((file) => !named.has(file))).toEqual([]);
});
