// Writes web/src/credentials/provider-marks.json: the marks of the providers in the catalogue, from the npm
// package simple-icons (CC0 1.0): `node scripts/import-marks.mjs node_modules/simple-icons`. Providers
// without a mark there are left out.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const catalogue = path.join(root, 'src/contract/connections/connection-providers.json');
const target = path.join(root, 'web/src/credentials/provider-marks.json');

const toKey = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('The folder of simple-icons is missing.');
const icons = JSON.parse(readFileSync(path.join(folder, 'data/simple-icons.json'), 'utf8'));
const slugs = new Map();
for (const { title, slug } of icons) slugs.set(toKey(title), slug ?? toKey(title));

const marks = {};
for (const [id, { title }] of Object.entries(JSON.parse(readFileSync(catalogue, 'utf8')))) {
  const slug = slugs.get(toKey(title)) ?? slugs.get(toKey(id));
  if (slug === undefined) continue;
  let svg;
  try {
    svg = readFileSync(path.join(folder, 'icons', `${slug}.svg`), 'utf8');
  } catch {
    continue;
  }
  const [, data] = /<path d="([^"]+)"\/>/.exec(svg) ?? [];
  if (data !== undefined) marks[id] = data;
}
writeFileSync(target, `${JSON.stringify(marks, null, 2)}\n`);
console.log(`${Object.keys(marks).length} marks`);
