import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

/** The text without code blocks. */
const read = (page: string): string =>
  readFileSync(path.join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors of a page's headings. */
function listAnchors(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...read(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text
      .trim()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return new Set(anchors);
}

test('the pages and headings that a page links to exist', () => {
  expect(pages.length).toBeGreaterThan(40);
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(root, target))) return true;
        return anchor !== undefined && target.endsWith('.md') && !listAnchors(target).has(anchor);
      })
      .map((link) => `${page} → ${link}`),
  );
  expect(dead).toEqual([]);
});

test('the files and folders that a page names exist', () => {
  const named = /`((?:bench|docs|examples|scripts|sdk|src|templates|test|web)\/[\w./-]*[\w/])`/g;
  const all = pages.flatMap((page) =>
    [...read(page).matchAll(named)].map(([, name]) => ({ page, name: name! })),
  );
  expect(all.length).toBeGreaterThan(100);
  // Built files do not exist in a fresh clone.
  const kept = all.filter(({ name }) => !name.split('/').includes('dist'));
  expect(kept.filter(({ name }) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('the title of an architecture decision record has the number of its file', () => {
  const records = pages.filter((page) => page.startsWith('docs/decisions/'));
  const wrong = records.filter(
    (page) => !read(page).startsWith(`# ADR ${Number(path.basename(page).slice(0, 4))}: `),
  );
  expect(wrong).toEqual([]);
  const numbers = records.map((page) => path.basename(page).slice(0, 4));
  expect(new Set(numbers).size, 'each number is used once').toBe(numbers.length);
});
