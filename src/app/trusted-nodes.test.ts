import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'weft-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
/** A folder with these files. */
function nodes(files: Record<string, string>): string {
  const location = path.join(folder, `nodes${made++}`);
  mkdirSync(location);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(location, name), text);
  return location;
}

/** A node in plain JavaScript; \`body\` is of its \`run\`. */
const plain = (type: string, body: string, more = ''): string => `
import { defineNode, Type, HttpFailure } from 'weft/node-kit';
export default defineNode({
  type: '${type}', version: '1.0.0', name: '${type}', category: 'http', description: 'A test.', icon: 'plug',
  config: { type: 'object', properties: { url: { type: 'string' } } },
  outputs: [{ name: 'out', type: 'any', description: 'The input' }],
  effects: 'external',
  run: async (ctx, config, input) => { ${body} },
  examples: [{ title: 'One', config: { url: 'http://127.0.0.1:1' }, input: null }],
  ${more}
});`;

/**
 * What loading each folder comes to, in a process as the service has it: here the tests' own loader would
 * are in between.
 */
function loaded(folders: readonly string[]): (string | [string, string, string][])[] {
  const program = `
    const { loadTrustedNodes } = await import(${JSON.stringify(new URL('trusted-nodes.ts', import.meta.url).href)});
    const { builtinNodes } = await import(${JSON.stringify(new URL('../nodes/registry.ts', import.meta.url).href)});
    const found = [];
    for (const folder of JSON.parse(process.argv[1]))
      found.push(await loadTrustedNodes(folder, builtinNodes).then(
        (nodes) => nodes.map(({ file, node }) => [file.split('/').at(-1), node.type, node.version]),
        (error) => error.message,
      ));
    console.log(JSON.stringify(found));`;
  const args = ['--no-warnings', '--input-type=module', '-e', program, JSON.stringify(folders)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as ReturnType<typeof loaded>;
}

test('loads nodes ordered by file name, and several versions of one node', () => {
  const files = {
    'b.node.mjs': plain('x', ''),
    'a.node.mjs': plain('x', '', 'version: "2.0.0",'),
    'words.mjs': 'never()',
  };
  expect(loaded([nodes(files)])).toEqual([
    [
      ['a.node.mjs', 'x', '2.0.0'],
      ['b.node.mjs', 'x', '1.0.0'],
    ],
  ]);
});

test('rejects invalid folders and files', () => {
  const cases: [string, Record<string, string> | string, RegExp][] = [
    ['no node', { 'a.js': '' }, /WEFT_NODES_DIR: no nodes found in .*\.node\.js/],
    [
      'a file that is no JavaScript',
      { 'bad.node.mjs': 'export default {' },
      /bad\.node\.mjs cannot be loaded: SyntaxError: .* \(node --check shows where\)/,
    ],
    [
      'a file that throws',
      { 'bad.node.mjs': 'throw new Error("at the top")' },
      /bad\.node\.mjs cannot be loaded: Error: at the top \(bad\.node\.mjs:1:7\)/,
    ],
    [
      'an import that is not there',
      { 'bad.node.mjs': 'import "nothing-here"' },
      /bad\.node\.mjs cannot be loaded: .*nothing-here/,
    ],
    [
      'no default export',
      { 'bad.node.mjs': 'export const x = 1' },
      /bad\.node\.mjs: its default export must be created with defineNode/,
    ],
    ['something else', { 'bad.node.mjs': 'export default { type: "x" }' }, /must be created with defineNode/],
    [
      'a field that is none',
      { 'bad.node.mjs': plain('x', '', 'colour: 1,') },
      /bad\.node\.mjs: colour is not a field/,
    ],
    ['a name that is none', { 'bad.node.mjs': plain('no good', '') }, /type must be a name/],
    [
      'a category that is none',
      { 'bad.node.mjs': plain('x', '', 'category: "custom",') },
      /category must be one of flow, data/,
    ],
    [
      'a version that is none',
      { 'bad.node.mjs': plain('x', '', 'version: "1",') },
      /version must have the form/,
    ],
    [
      'keywords that are none',
      { 'bad.node.mjs': plain('x', '', 'keywords: ["rates", ""],') },
      /keywords must be at most 50 strings of 1 to 50 characters/,
    ],
    [
      'a schema that is none',
      { 'bad.node.mjs': plain('x', '', 'config: { type: "object", properties: { a: { type: "text" } } },') },
      /config must be a valid schema: .*type/,
    ],
    [
      'ports that are none',
      { 'bad.node.mjs': plain('x', '', 'outputs: [{ name: "a" }],') },
      /outputs: a must have a type/,
    ],
    [
      'a port that every node has',
      { 'bad.node.mjs': plain('x', '', 'outputs: [{ name: "error", type: "any", description: "" }],') },
      /port error/,
    ],
    [
      'the name of a built-in',
      { 'bad.node.mjs': plain('http_request', '') },
      /http_request is the name of a built-in node/,
    ],
    [
      'a name twice',
      { 'a.node.mjs': plain('x', ''), 'b.node.mjs': plain('x', '') },
      /b\.node\.mjs: x 1\.0\.0 is in a\.node\.mjs already/,
    ],
    [
      'a secret without a destination',
      { 'bad.node.mjs': plain('x', '', 'effects: "external", secrets: { key: "anywhere" },') },
      /secrets: key must be one of request, token, proxy, local/,
    ],
    [
      'secrets of a node without effects',
      { 'bad.node.mjs': plain('x', '', 'effects: "none", secrets: { key: "local" },') },
      /must have external effects to read secrets/,
    ],
    ['no folder', '/nonexistent', /WEFT_NODES_DIR: folder \/nonexistent does not exist/],
  ];
  const found = loaded(cases.map(([, files]) => (typeof files === 'string' ? files : nodes(files))));
  for (const [i, [title, , message]] of cases.entries()) expect(found[i], title).toMatch(message);
});

test('loads the node of the documentation', () => {
  const page = readFileSync(new URL('../../docs/custom-nodes.md', import.meta.url), 'utf8');
  const [, text = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  expect(loaded([nodes({ 'exchange-rate.node.ts': text })])).toEqual([
    [['exchange-rate.node.ts', 'exchange_rate', '1.0.0']],
  ]);
});
