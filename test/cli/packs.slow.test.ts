import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocumentText, createPetstore } from '../support/openapi/petstore.ts';
import { packFixture } from '../support/packs/npm-pack.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { useWeftCommand } from './weft-command.ts';

const one = useWeftCommand();
let upstream: Upstream;
let published: unknown = createPetstore('https://pets.example.com/v1');
beforeAll(async () => {
  upstream = await startUpstream(() => ({ body: published }));
});
afterAll(() => upstream.close());

function writeFile(name: string, text: string): string {
  const file = path.join(one.folder, name);
  writeFileSync(file, text);
  return file;
}

test('a pack is previewed, added, listed, updated and removed', async () => {
  const file = writeFile('petstore.json', createDocumentText('https://pets.example.com/v1'));
  const preview = await one.weft(['nodes', 'add', file, '--dry-run']);
  expect([preview.code, preview.stdout]).toEqual([
    0,
    expect.stringContaining('would be installed, with 3 operations'),
  ]);
  const added = await one.weft(['nodes', 'add', file]);
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('use the node openapi.pet_store')]);
  expect((await one.weft(['nodes', 'add', file])).stdout).toContain('is installed already');

  expect((await one.weft(['nodes', 'packs'])).stdout).toMatch(/^NAME +VERSION.*\npet_store +1\.0\.0 +3/);
  const found = await one.json<{ operations: { id: string }[] }>([
    'nodes',
    'operations',
    'pet_store',
    '--search',
    'create',
  ]);
  expect(found.operations.map(({ id }) => id)).toEqual(['pets/create']);

  const unused = await one.weft(['nodes', 'workflows', 'pet_store']);
  expect([unused.code, unused.stderr]).toEqual([0, expect.stringContaining('No workflow uses the pack.')]);
  const { id } = await one.client.workflows.create({
    name: 'Pets',
    definition: {
      nodes: [{ id: 'x', type: 'openapi.pet_store', config: { operation: 'pets/list' } }],
      connections: [],
    },
  });
  const using = await one.weft(['nodes', 'workflows', 'pet_store', '--pack-version', '1.0.0']);
  expect(using.stdout).toMatch(new RegExp(`^ID +OWNER +VERSIONS +NAME\\n${id} .* 1 +Pets`));
  expect((await one.weft(['workflows', 'delete', id, '--permanent', '--yes'])).code).toBe(0);

  expect((await one.weft(['nodes', 'remove', 'pet_store', '--yes'])).code).toBe(0);
  expect((await one.weft(['nodes', 'packs'])).stderr).toContain('No pack is installed.');
});

test('an update shows the changes, and asks before it installs a version', async () => {
  const file = writeFile('before.json', createDocumentText('https://pets.example.com/v1'));
  expect((await one.weft(['nodes', 'add', file])).code).toBe(0);
  const changed = writeFile(
    'changed.json',
    createDocumentText('https://pets.example.com/v1', '1.0.0', {
      '/pets/{id}': {},
      '/toys': { get: { responses: {} } },
    }),
  );
  const refused = await one.weft(['nodes', 'add', changed]);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('1.1.0')]);
  const unsure = await one.weft(['nodes', 'update', 'pet_store', changed]);
  expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const updated = await one.weft(['nodes', 'update', 'pet_store', changed, '--yes']);
  expect(updated.code, updated.stderr).toBe(0);
  expect(updated.stdout).toContain('The pack pet_store 1.1.0 is installed');
  expect(updated.stdout).toContain('Since 1.0.0: 1 added, 1 removed, 0 changed.\n- pets/get\n+ get /toys\n');

  expect((await one.weft(['nodes', 'remove', 'pet_store', '1.0.0', '--yes'])).code).toBe(0);
  expect((await one.weft(['nodes', 'packs'])).stdout).toContain('1.1.0');
});

test('a pack from a URL is updated from it; from standard input it needs a document', async () => {
  const url = `${upstream.url}/openapi.json`;
  const added = await one.weft(['nodes', 'add', url, '--name', 'remote', '--pack-version', '3.0.0']);
  expect(added.code, added.stderr).toBe(0);
  const same = await one.weft(['nodes', 'update', 'remote', '--pack-version', '3.0.0', '--yes']);
  expect(same.stdout).toContain('is installed already');
  published = createPetstore('https://pets.example.com/v1', '4.0.0');
  const updated = await one.weft(['nodes', 'update', 'remote'], { isTyped: true, input: 'y\n' });
  expect(updated.code, updated.stderr).toBe(0);
  expect(updated.stdout).toContain('remote 4.0.0 is installed');

  const input = createDocumentText('https://pets.example.com/v1');
  expect((await one.weft(['nodes', 'add', '-', '--name', 'piped'], { input })).code).toBe(0);
  const nowhere = await one.weft(['nodes', 'update', 'piped', '--yes']);
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('file or URL')]);
});

test('a package of npm is added from its archive, and only in an exact version from the registry', async () => {
  const file = path.join(one.folder, 'piece-demo-1.0.0.tgz');
  writeFileSync(file, packFixture('demo'));
  const added = await one.weft(['nodes', 'add', file, '--name', 'demo_pack']);
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('use the node npm.demo_pack')]);
  expect(added.stderr).toContain('no registry vouches for it');
  expect((await one.weft(['nodes', 'operations', 'demo_pack'])).stdout).toMatch(/create_item +create item/);
  const range = await one.weft(['nodes', 'add', '@weft/piece-demo@^1.0.0']);
  expect([range.code, range.stderr]).toEqual([
    5,
    expect.stringContaining('version: must be a version of the form'),
  ]);
  const none = await one.weft(['nodes', 'add', '@weft/piece-demo']);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining('needs its exact version, such as @weft/piece-demo@1.0.0'),
  ]);
  const other = await one.weft(['nodes', 'add', '@weft/piece-demo@1.0.0', '--pack-version', '2.0.0']);
  expect(other.stderr).toContain('--pack-version must be that of @weft/piece-demo@1.0.0');
  const update = await one.weft(['nodes', 'update', 'demo_pack']);
  expect(update.stderr).toContain('is the package @weft/piece-demo: name its new version');
  for (const text of ['latest', '^2.0.0'])
    expect((await one.weft(['nodes', 'update', 'demo_pack', text])).stderr).toContain(
      `There is no file ${text}. demo_pack is the package @weft/piece-demo: name its exact version`,
    );
});

test('the choices of a pack of npm are listed', async () => {
  const file = path.join(one.folder, 'piece-demo-1.0.0.tgz');
  writeFileSync(file, packFixture('demo'));
  expect((await one.weft(['nodes', 'add', file])).code).toBe(0);
  const choices = ['nodes', 'choices', 'demo', 'broken_choices', 'one', '--values'];
  const odd = await one.weft([...choices, '{"mode":"odd"}']);
  expect([odd.code, odd.stdout]).toEqual([
    0,
    expect.stringMatching(/^LABEL +VALUE\n7 +7\nno label +no label/),
  ]);
  expect(await one.json([...choices, '{"mode":"odd"}'])).toMatchObject({ options: [{ value: 7 }, {}, {}] });
  const failed = await one.weft([...choices, '{"mode":"throw"}']);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('one could not be loaded: The account was closed');
  const wrong = await one.weft([...choices, '[]']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--values must be a JSON object')]);
  const secret = ['--authentication', '{"type":"token","token":"t"}'];
  const none = await one.weft(['nodes', 'choices', 'demo', 'new_item', 'project', '--trigger', ...secret]);
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('Enter the address first')]);
  expect((await one.weft(['nodes', 'remove', 'demo', '--yes'])).code).toBe(0);
});
