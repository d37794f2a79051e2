import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';
import { nodeCategories } from '../src/contract/node-type.ts';
import { builtinNodes, olderNodes } from '../src/nodes/registry.ts';
import { triggerKinds } from '../web/src/canvas/model/trigger-kinds.ts';
import { allowedImports } from './layers.ts';
import { SLOW_FOLDERS } from './projects.ts';

/*
 * Lists that are kept by hand and repeat what the code defines elsewhere. The message of each failure begins
 * with the file to change. Generated pages (docs/reference, docs/cli.md) and lists with a test of their own
 * are not repeated here.
 */

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const firstGroups = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, group]) => group!);

/** Expects a list in `file` to be equal to what the code defines, in any order. */
function expectSameList(file: string, listed: Iterable<string>, defined: Iterable<string>): void {
  const [inFile, inCode] = [new Set(listed), new Set(defined)];
  const missing = [...inCode].filter((name) => !inFile.has(name)).toSorted();
  const unknown = [...inFile].filter((name) => !inCode.has(name)).toSorted();
  expect({ missing, unknown }, `Change ${file}`).toEqual({ missing: [], unknown: [] });
}

/** Expects each name in `file` to be one that exists. */
function expectOnlyKnown(file: string, named: Iterable<string>, isKnown: (name: string) => boolean): void {
  expect([...named].filter((name) => !isKnown(name)).toSorted(), `Change ${file}: unknown names`).toEqual([]);
}

describe('the editor', () => {
  test('has an icon for each node type', () => {
    const file = 'web/src/canvas/components/icons.ts';
    const table = read(file).split('> = {')[1]!.split('};')[0]!;
    const icons = firstGroups(table, /^ {2}'?([a-z\d-]+)'?:/gm);
    const named = [...builtinNodes, ...olderNodes].map(({ icon }) => icon);
    // `puzzle` is the icon of custom nodes, `plug` that of connectors, `box` that of trusted nodes with any
    // other icon. Trusted nodes may have the icons that databases had before they had marks.
    const ofTriggers = triggerKinds.map(({ icon }) => icon);
    const ofOthers = ['puzzle', 'plug', 'box', 'database', 'database-zap'];
    expectSameList(file, icons, [...named, ...ofTriggers, ...ofOthers]);
    const docs = 'docs/custom-nodes.md';
    const documented = /^Icons: ([^]+?)\.$/m.exec(read(docs))?.[1] ?? '';
    expectSameList(docs, firstGroups(documented, /`([a-z\d-]+)`/g), icons);
  });

  test('has a group and a color for each category of node types', () => {
    const groups = 'web/src/canvas/model/palette-entries.ts';
    expectSameList(groups, firstGroups(read(groups), /^ {2}\['([a-z]+)', (?:t\()?'/gm), nodeCategories);
    const styles = 'web/src/canvas/styles/node.css';
    const colors = firstGroups(read(styles), /\[data-category='([a-z]+)'\]/g);
    // Custom nodes have the default colour.
    expectSameList(styles, [...colors, 'custom'], nodeCategories);
  });
});

describe('the documentation', () => {
  test('ARCHITECTURE.md has the imports of each layer', () => {
    const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `([a-z]+)\/` +\|[^|]*\| ([^|]*?) *\|$/gm)];
    const documented = rows.map(([, layer, imports]) => `${layer}: ${imports}`);
    const defined = Object.entries(allowedImports).map(([layer, imports]) => {
      const layers = imports.filter((name) => !name.startsWith('..')).map((name) => `\`${name}\``);
      return `${layer}: ${imports.includes('*') ? 'everything' : layers.join(', ') || '–'}`;
    });
    const own = documented.map((row) => row.replace(', and `sdk/`', ''));
    expectSameList('ARCHITECTURE.md (or test/layers.ts)', own, defined);
  });

  test('CONTRIBUTING.md names the commands and the slow tests that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const text = read('CONTRIBUTING.md');
    expectOnlyKnown('CONTRIBUTING.md', firstGroups(text, /npm run ([a-z:]+)/g), (name) => name in scripts);
    const [, slow] = /^\| `slow` +\| (.*)$/m.exec(text)!;
    expectSameList('CONTRIBUTING.md', firstGroups(slow!, /`test\/([a-z-]+)`/g), SLOW_FOLDERS);
  });

  test('names only settings that exist', () => {
    for (const file of ['README.md', ...globSync('docs/*.md', { cwd: root })])
      expectOnlyKnown(file, firstGroups(read(file), /(?:^|[ `])(WEFT_[A-Z_]*[A-Z])=/gm), isSetting);
  });

  test('docs/operations.md names only metrics that exist', () => {
    const names = new Set(firstGroups(read('src/services/observability/metrics.ts'), /'(weft_[a-z_]+)'/g));
    const named = firstGroups(read('docs/operations.md'), /`(weft_[a-z_]*[a-z])[`{]/g);
    expectOnlyKnown('docs/operations.md', named, (name) => names.has(name));
  });
});

/** Variables of the CLI, of `compose.yaml` and of the tests, which the service does not read. */
const OTHER_VARIABLES = [
  'WEFT_URL',
  'WEFT_TOKEN',
  'WEFT_API_KEY',
  'WEFT_PROFILE',
  'WEFT_PASSWORD',
  'WEFT_BIND',
  'WEFT_PORT',
  'WEFT_TEST_SHOTS',
];
const isSetting = (name: string): boolean => Object.hasOwn(settings, name) || OTHER_VARIABLES.includes(name);

describe('the deployment files', () => {
  test('set only settings that exist', () => {
    const isKnown = (name: string): boolean => isSetting(name) || name.startsWith('NODE_');
    const [, environment] = /^ENV (.*)$/m.exec(read('Dockerfile'))!;
    expectOnlyKnown('Dockerfile', firstGroups(environment!, /([A-Z_]+)=/g), isKnown);
    const unit = 'deploy/systemd/weft.service';
    expectOnlyKnown(unit, firstGroups(read(unit), /^Environment=([A-Z_]+)=/gm), isKnown);
    for (const file of globSync('deploy/kubernetes/*/kustomization.yaml', { cwd: root }))
      expectOnlyKnown(file, firstGroups(read(file), /^ +- ([A-Z_]+)=/gm), isKnown);
  });
});

describe('the tools', () => {
  test('knip.json names entries that exist', () => {
    const { entry } = JSON.parse(read('knip.json')) as { entry: string[] };
    expectOnlyKnown('knip.json', entry, (name) => globSync(name, { cwd: root }).length > 0);
  });

  test('test/projects.ts names folders that exist', () => {
    expectOnlyKnown('test/projects.ts', SLOW_FOLDERS, (name) => existsSync(path.join(root, 'test', name)));
  });

  test('package.json publishes files that exist, or are built', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const sources = files.filter((name) => !/^!?dist\b/.test(name));
    expectOnlyKnown('package.json', sources, (name) => existsSync(path.join(root, name)));
  });

  test('each example has a test', () => {
    const examples = readdirSync(path.join(root, 'examples')).map((file) => path.basename(file, '.json'));
    const tests = globSync('test/examples/*.test.ts', { cwd: root });
    expectSameList(
      'test/examples/ (a test for each file in examples/)',
      tests.map((file) => path.basename(file, '.test.ts')),
      examples,
    );
  });
});
