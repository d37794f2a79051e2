import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPetstore } from '../../support/openapi/petstore.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { openPage, signIn } from '../support/sign-in.ts';

type Config = Record<string, unknown>;

/** A store of pets whose operations take an API key or an account. */
function petDocument(server: string, version = '1.0.0') {
  const document = createPetstore(server, version);
  const { post } = document.paths['/pets'];
  Object.assign(document.components.securitySchemes, {
    account: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://id.example.com/authorize',
          tokenUrl: 'https://id.example.com/token',
          scopes: { 'pets:write': 'Change pets' },
        },
      },
    },
  });
  Object.assign(post, {
    description: 'Adds a pet to the store.',
    security: [{ key: [] }, { account: ['pets:write'] }],
    requestBody: {
      required: true,
      content: jsonContent({
        type: 'object',
        required: ['name', 'kind'],
        properties: {
          name: { type: 'string', examples: ['Rex'] },
          kind: { type: 'string', enum: ['dog', 'cat'] },
          age: { type: ['integer', 'null'] },
          tags: { type: 'array', items: { type: 'string' } },
        },
      }),
    },
    responses: {
      201: {
        description: 'A pet',
        content: jsonContent({
          type: 'object',
          properties: { pet_number: { type: 'string' }, name: { type: 'string' } },
        }),
      },
    },
  });
  return document;
}

const jsonContent = (schema: object): object => ({ 'application/json': { schema } });

describe.skipIf(isChromiumMissing)('connectors', () => {
  let editor: TestEditor;
  let upstream: Upstream;
  let published: unknown;
  /** The document is sent when this has resolved. */
  let held: Promise<void> | undefined;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    upstream = await startUpstream(({ path }) =>
      path === '/openapi.json'
        ? { body: published, ...(held === undefined ? {} : { held }) }
        : { status: 201, body: { pet_number: 'p-1', name: 'Rex' } },
    );
    published = petDocument(`${upstream.url}/v1`);
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: new URL(upstream.url).host });
    call = await createSignedInApi(editor.origin);
    const start = {
      id: 'start',
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: { triggerType: 'manual' },
    };
    const definition = { nodes: [start], connections: [] };
    workflow = (await call('POST', '/workflows', { name: 'New pets', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, '/settings/connectors');
    await page.getByText('No connectors yet').waitFor();
  });
  afterAll(async () => {
    await editor?.close();
    await upstream?.close();
  });

  const panel = () => page.locator('#node-panel');
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const readConfig = async (id: string): Promise<Config> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const stored = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { id: string; config: Config }[] };
    };
    return stored.definition.nodes.find((node) => node.id === id)!.config;
  };

  test('an invalid document is rejected at its field; a small one is reviewed and installed', async () => {
    await page.getByRole('button', { name: 'Add connector' }).click();
    const form = dialog('Add a connector');
    await form.getByRole('button', { name: 'Review' }).click();
    await form.getByText('Choose a file first.').waitFor();
    const file = (name: string, text: string) =>
      form
        .getByLabel('Document', { exact: true })
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    await file('notes.json', '{"openapi": "3.1.0"}');
    await form.getByRole('button', { name: 'Review' }).click();
    await form.getByText(/^The document must have/).waitFor();
    await saveShot(page, 'connectors-error');
    expect(await listFindingsInBothThemes(page)).toEqual([]);

    await form.getByRole('radio', { name: 'URL' }).click();
    await form.getByLabel('URL').fill(`http://127.0.0.2:9/openapi.json`);
    await page.keyboard.press('Enter');
    await form.getByText(/^could not be loaded/).waitFor();
    await form.getByLabel('URL').fill(`${upstream.url}/openapi.json`);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    await page.keyboard.press('Enter');
    await form
      .getByRole('status')
      .getByText(/^Loading and reading 127\.0\.0\.1/)
      .waitFor();
    await form.getByRole('progressbar').waitFor();
    release();
    await form.getByText('openapi.pet_store').waitFor();
    await expect.poll(() => form.getByRole('progressbar').count()).toBe(0);
    await saveShot(page, 'connectors-preview');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await form.getByRole('button', { name: 'Install 1.0.0' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Pet Store' }).waitFor();
    await page.getByRole('cell', { name: '0 workflows' }).waitFor();
    await saveShot(page, 'connectors-list');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
  });

  test('the page of a connector lists its operations, which are searched', async () => {
    await page.getByRole('link', { name: 'Pet Store' }).click();
    await page.getByText('3 operations').waitFor();
    await page.getByLabel('Search operations').fill('add pet create');
    await page.getByText('1 of 3 operations').waitFor();
    await page.getByText('POST /pets').click();
    await page.getByText('Adds a pet to the store.').waitFor();
    await page.getByText('required fields: body').waitFor();
    await saveShot(page, 'connectors-detail');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
  });

  test('an operation is picked by keyboard, filled in and run against its server', async () => {
    await openPage(page, `/workflows/${workflow}`);
    await page.locator('.react-flow__node[data-id="start"]').click();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Add node' }).waitFor();
    await page.keyboard.type('add pet');
    const first = page.getByRole('option').first();
    await expect.poll(() => first.textContent()).toContain('Create a pet');
    await expect.poll(() => first.textContent()).toContain('Pet Store');
    await saveShot(page, 'connectors-picker');
    await page.keyboard.press('Enter');
    await page.locator('#node-panel[data-node="pet_store"]').waitFor();
    await panel().getByText('Adds a pet to the store.').waitFor();
    await panel().getByRole('heading', { name: 'Create a pet', level: 2 }).waitFor();

    // The example is the placeholder; optional fields are added on demand.
    await expect
      .poll(() => panel().getByLabel('Name', { exact: true }).first().getAttribute('placeholder'))
      .toBe('Rex');
    await panel().getByLabel('Name', { exact: true }).first().fill('Rex');
    await panel().getByLabel('Kind').selectOption('dog');
    expect(await panel().getByLabel('Age').count()).toBe(0);
    await panel().getByRole('button', { name: 'Add option' }).first().click();
    await page.getByRole('menuitem', { name: 'Age' }).click();
    await panel().getByLabel('Age').fill('3');

    // The API key is a secret that is created here, for the host of the server.
    await panel().getByText('Choose a secret').click();
    await page.getByRole('menuitem', { name: 'New secret…' }).click();
    const secret = dialog('New secret');
    await expect.poll(() => secret.getByLabel('Allowed hosts').inputValue()).toBe(new URL(upstream.url).host);
    await secret.getByLabel('Name').fill('PETS_KEY');
    await secret.getByLabel('Value').fill('pets-4f9a8b7c6d5e');
    await page.keyboard.press('Enter');
    await secret.waitFor({ state: 'detached' });
    await saveShot(page, 'connectors-form');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(await readConfig('pet_store')).toEqual({
      operation: 'pets/create',
      apiKeys: { key: '{{ secrets.PETS_KEY }}' },
      body: { name: 'Rex', kind: 'dog', age: 3 },
    });

    await panel().getByRole('button', { name: 'Run this node' }).first().click();
    await expect.poll(() => upstream.received.at(-1)?.path).toBe('/v1/pets');
    expect(upstream.received.at(-1)).toMatchObject({
      method: 'POST',
      body: { name: 'Rex', kind: 'dog', age: 3 },
      headers: { 'x-key': 'pets-4f9a8b7c6d5e' },
    });
  });

  test('the next node completes the output from the document before any run', async () => {
    const fresh = (await call('POST', '/workflows', {
      name: 'Not run yet',
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
          {
            id: 'create',
            type: 'openapi.pet_store',
            position: { x: 320, y: 0 },
            config: { operation: 'pets/create', body: { name: 'Rex', kind: 'dog' } },
          },
          { id: 'keep', type: 'set', position: { x: 640, y: 0 }, config: { fields: { number: '' } } },
        ],
        connections: [
          { from: 'start', to: 'create' },
          { from: 'create', to: 'keep' },
        ],
      },
    })) as { id: string };
    await openPage(page, `/workflows/${fresh.id}`);
    await selectNode(page, 'keep');
    await page.getByRole('tab', { name: 'Input' }).click();
    await panel().getByText('pet_number').waitFor();
    await call('DELETE', `/workflows/${fresh.id}`);
  });

  test('a connection begins with the URLs and scopes of the document', async () => {
    await openPage(page, `/workflows/${workflow}`);
    await selectNode(page, 'pet_store');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await panel().getByLabel('Authentication').selectOption({ label: 'OAuth 2.0' });
    await panel().getByText('Needs the scopes pets:write.').waitFor();
    await panel().getByText('Choose a connection').click();
    await page.getByRole('menuitem', { name: 'Connect an account…' }).click();
    const form = dialog('Connect an account');
    await expect
      .poll(() => form.getByLabel('Authorization URL').inputValue())
      .toBe('https://id.example.com/authorize');
    await expect.poll(() => form.getByLabel('Token URL').inputValue()).toBe('https://id.example.com/token');
    await expect.poll(() => form.getByLabel('Scopes').inputValue()).toBe('pets:write');
    await expect.poll(() => form.getByLabel('Allowed hosts').inputValue()).toBe(new URL(upstream.url).host);
    await saveShot(page, 'connectors-account');
    await form.getByRole('button', { name: 'Cancel' }).click();
    expect((await readConfig('pet_store'))['apiKeys']).toBeUndefined();
  });

  test('another operation is chosen by typing, and keeps what both have', async () => {
    await panel().getByLabel('Operation', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Operations of Pet Store' }).waitFor();
    await page.keyboard.type('fetch');
    await saveShot(page, 'connectors-operations');
    await page.keyboard.press('Enter');
    await panel().getByRole('heading', { name: 'Get a pet', level: 2 }).waitFor();
    await panel().getByLabel('id', { exact: true }).fill('7');
    expect(await readConfig('pet_store')).toEqual({ operation: 'pets/get', id: '7' });
  });

  test('an update shows the difference before it is installed', async () => {
    const next = petDocument(`${upstream.url}/v2`);
    next.paths['/pets'].get.parameters.push({
      name: 'sort',
      in: 'query',
      schema: { type: 'string' },
    } as never);
    published = { ...next, paths: { '/pets': next.paths['/pets'], '/toys': { get: { responses: {} } } } };
    await openPage(page, '/settings/connectors');
    await page.getByRole('button', { name: 'Update Pet Store' }).click();
    const form = dialog('Update Pet Store');
    await expect.poll(() => form.getByLabel('URL').inputValue()).toBe(`${upstream.url}/openapi.json`);
    await page.keyboard.press('Enter');
    await form.getByText('1 added, 1 removed, 1 changed').waitFor();
    await form.getByText('added: query.sort').waitFor();
    await form.getByText('1.0.0 is installed with another document').waitFor();
    await saveShot(page, 'connectors-update');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(await call('GET', '/packs/pet_store')).toMatchObject({ versions: ['1.0.0'] });
    await form.getByLabel('Version').fill('1.0');
    await form.getByRole('button', { name: 'Install 1.0', exact: true }).click();
    await form.getByText(/major\.minor\.patch, such as/).waitFor();
    await form.getByLabel('Version').fill('1.1.0');
    await page.keyboard.press('Enter');
    await form.waitFor({ state: 'detached' });
    await page.getByText('1.1.0 + 1').waitFor();
    expect(await call('GET', '/packs/pet_store')).toMatchObject({ versions: ['1.1.0', '1.0.0'] });

    // A node keeps its version until the person changes it.
    await openPage(page, `/workflows/${workflow}`);
    await selectNode(page, 'pet_store');
    await panel().getByText('This node uses version 1.0.0.').waitFor();
  });

  test('a connector in use is not removed, and its workflows are listed', async () => {
    await openPage(page, '/settings/connectors/pet_store');
    await page.getByRole('heading', { name: 'Used by 1 workflow' }).waitFor();
    await page.getByRole('button', { name: 'Remove…', exact: true }).click();
    const form = dialog('Remove “Pet Store”?');
    await form.getByRole('button', { name: 'Remove' }).click();
    await form.getByRole('link', { name: 'New pets' }).waitFor();
    await saveShot(page, 'connectors-refused');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await form.getByRole('button', { name: 'Close' }).first().click();
    await call('DELETE', `/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Remove…', exact: true }).click();
    await form.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No connectors yet').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
