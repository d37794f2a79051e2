import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildArchive } from '../../../test/support/servers/npm-registry.ts';
import { packServicesCertificate, packServicesKey } from '../../../test/support/servers/tls-certificates.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { PackCall } from '../../contract/packs/pack-call.ts';
import type { NpmManifest } from '../../contract/packs/npm-packs.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { createPackRunner } from './pack-runner.ts';

/** Published packages, against fakes of their services. */
const names = ['notion', 'wordpress'] as const;
type Name = (typeof names)[number];
const HOSTS: Readonly<Record<Name, string>> = { notion: 'api.notion.com', wordpress: 'blog.example.com' };

const FOLDERS: Readonly<Record<Name, URL>> = {
  notion: new URL('../../../node_modules/@activepieces/piece-notion/', import.meta.url),
  wordpress: new URL('../../../node_modules/@activepieces/piece-wordpress/', import.meta.url),
};

function readArchive(name: Name): Buffer {
  const folder = FOLDERS[name];
  const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
  const about = JSON.parse(read('package.json')) as { name: string; version: string; main: string };
  return buildArchive(about.name, about.version, { 'src/index.js': read('src/index.js') }, about);
}

const database = {
  object: 'database',
  id: 'db-1',
  title: [{ plain_text: 'Tasks', text: { content: 'Tasks' } }],
  properties: {
    Name: { id: 'title', name: 'Name', type: 'title', title: {} },
    Done: { id: 'd', name: 'Done', type: 'checkbox', checkbox: {} },
    Priority: {
      id: 'p',
      name: 'Priority',
      type: 'select',
      select: {
        options: [
          { id: '1', name: 'High', color: 'red' },
          { id: '2', name: 'Low', color: 'blue' },
        ],
      },
    },
  },
};
const received: { method: string; url: string; authorization: string | undefined; body: string }[] = [];
let isRevoked = false;
const fake = createServer({ cert: packServicesCertificate, key: packServicesKey }, (request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    received.push({ method, url, authorization: headers.authorization, body });
    response.setHeader('content-type', 'application/json');
    if (isRevoked) {
      const error = { object: 'error', status: 401, code: 'unauthorized', message: 'API token is invalid.' };
      return response.writeHead(401).end(JSON.stringify(error));
    }
    response.setHeader('x-wp-totalpages', '1');
    response.end(JSON.stringify(answer(url)));
  });
});

function answer(url: string): unknown {
  if (url.startsWith('/wp-json/wp/v2/categories'))
    return [
      { id: 7, name: 'News', slug: 'news' },
      { id: 8, name: 'Reviews', slug: 'reviews' },
    ];
  if (url.startsWith('/wp-json')) return [];
  if (url.startsWith('/v1/search'))
    return { object: 'list', results: [database], next_cursor: null, has_more: false };
  return database;
}

const archives = { notion: readArchive('notion'), wordpress: readArchive('wordpress') };
const runner = createPackRunner({
  registry: null,
  egress: { send: () => Promise.reject(new Error('A test reached the registry')) },
  loadArchive: (name) => Promise.resolve(archives[name as Name]),
  warn: () => {},
  authorities: [packServicesCertificate],
});
const manifests = new Map<Name, NpmManifest>();

beforeAll(async () => {
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  for (const name of names) {
    const result = await runner.read(archives[name], AbortSignal.timeout(30_000));
    if (result.kind === 'refused') throw new Error(JSON.stringify(result.errors));
    manifests.set(name, result.manifest);
  }
});
afterAll(() => {
  runner.close();
  fake.closeAllConnections();
  fake.close();
});

const openFake = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { port } = fake.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket)).on('error', reject);
  });
const AUTH: Readonly<Record<Name, Json>> = {
  notion: { type: 'OAUTH2', access_token: 'ntn-test', data: { access_token: 'ntn-test' }, props: {} },
  wordpress: {
    type: 'CUSTOM_AUTH',
    props: { website_url: 'https://blog.example.com', username: 'ann', password: 'application password' },
  },
};
function call(name: Name, more: Pick<PackCall, 'operation'> & Partial<Pick<PackCall, 'choices' | 'props'>>) {
  const manifest = manifests.get(name)!;
  return runner.run({
    pack: { name, version: manifest.version, integrity: manifest.package.integrity },
    auth: AUTH[name],
    props: {},
    files: new Map(),
    ownerId: 'usr_a',
    signal: AbortSignal.timeout(30_000),
    log: () => {},
    open: ({ host }) =>
      host === HOSTS[name]
        ? openFake()
        : Promise.reject(new HttpFailure({ type: 'forbidden', message: `${host} is not allowed` })),
    ...more,
  });
}
const load = (name: Name, operation: string, property: string, props: JsonObject = {}) =>
  call(name, { operation, choices: { of: 'action', property, search: '' }, props });

test('Notion lists its databases, and the fields of one', async () => {
  const manifest = manifests.get('notion')!;
  expect(manifest).toMatchObject({ version: '0.7.3', title: 'Notion' });
  expect(manifest.securitySchemes.find(({ kind }) => kind === 'oauth2')).toMatchObject({
    grants: [{ authorizationParams: { owner: 'user' } }],
  });
  const create = manifest.operations.find(({ id }) => id === 'create_database_item');
  expect(create?.properties).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'database_id', kind: 'loaded_choice', refreshers: [] }),
      expect.objectContaining({
        name: 'databaseFields',
        kind: 'loaded_fields',
        refreshers: ['database_id'],
      }),
    ]),
  );
  const databases = await load('notion', 'create_database_item', 'database_id');
  expect(databases).toMatchObject({
    kind: 'value',
    value: { kind: 'options', isDisabled: false, options: [{ label: 'Tasks', value: 'db-1' }] },
  });
  expect(received.at(-1)?.authorization).toBe('Bearer ntn-test');
  const fields = await load('notion', 'create_database_item', 'databaseFields', { database_id: 'db-1' });
  expect(fields).toMatchObject({ kind: 'value', value: { kind: 'fields' } });
  const { properties } = (fields as unknown as { value: { properties: { name: string; kind: string }[] } })
    .value;
  expect(properties.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'Name text',
    'Done checkbox',
    'Priority choice',
  ]);
});

test('an error of Notion keeps its words', async () => {
  isRevoked = true;
  const refused = await load('notion', 'create_database_item', 'database_id');
  isRevoked = false;
  expect(JSON.stringify(refused)).toContain('API token is invalid.');
});

test('WordPress lists its categories', async () => {
  const categories = await load('wordpress', 'create_post', 'categories');
  expect(categories).toMatchObject({
    kind: 'value',
    value: {
      options: [
        { label: 'News', value: 7 },
        { label: 'Reviews', value: 8 },
      ],
    },
  });
  expect(received.at(-1)?.authorization).toMatch(/^Basic /);
});
