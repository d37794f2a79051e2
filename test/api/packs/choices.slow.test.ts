import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packFixture } from '../../support/packs/npm-pack.ts';
import { startProjectsService, type ProjectsService } from '../../support/packs/projects-service.ts';
import { loopbackCertificate } from '../../support/servers/tls-certificates.ts';
import {
  caller,
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { manual } from '../definitions.ts';

/* The built program, with the fixture pack and a fake of its service. */

const folder = createTempFolder();
let fake: ProjectsService;
let service: SpawnedService;
let api: Call;

beforeAll(async () => {
  const authority = path.join(folder.path, 'authority.pem');
  writeFileSync(authority, loopbackCertificate);
  fake = await startProjectsService();
  service = await spawnService({ dataDir: folder.path, env: { NODE_EXTRA_CA_CERTS: authority } });
  api = await service.login();
  const archive = packFixture('demo').toString('base64');
  const installed = await api('POST', '/packs', { body: { archive } });
  expect(installed.status, installed.text).toBe(201);
  const secret = { value: 'demo-secret-value', hosts: ['127.0.0.1'] };
  expect((await api('PUT', '/secrets/DEMO', { body: secret })).status).toBeLessThan(300);
});
afterAll(async () => {
  await service?.stop();
  fake?.close();
  folder.remove();
});
beforeEach(() => {
  fake.answer = null;
});

const authentication = { type: 'secret_text', secret: '{{ secrets.DEMO }}' };
const list = (body: object, call = api): Promise<ApiResponse> =>
  call('POST', '/packs/demo/choices', { body: { operation: 'choose', authentication, ...body } });
const readError = ({ body }: ApiResponse) =>
  (body as { error: { code: string; details: { field: string; issue: string } } }).error;
const values = (more: object = {}) => ({ address: fake.address, ...more });

describe('the form of an operation', () => {
  test('names the fields that choices depend on', async () => {
    const { body } = await api('GET', '/packs/demo/operations/choose');
    expect(body).toMatchObject({
      config_schema: {
        properties: {
          project: { 'x-ui': { loads: ['address'], searches: true } },
          members: { type: 'array', 'x-ui': { loads: ['address', 'project'] } },
          details: { type: 'object', 'x-ui': { loads: ['address', 'project'] } },
        },
      },
    });
    const form = JSON.stringify((await api('GET', '/packs/demo/operations/create_item')).body);
    expect(form).not.toContain('loads');
  });
});

describe('choices', () => {
  test('of one value, with a search and the credential', async () => {
    const all = await list({ field: 'project', values: values() });
    expect(all.status, all.text).toBe(200);
    expect(all.body).toMatchObject({
      options: [
        { label: 'Apollo', value: 'p-1' },
        { label: 'Gemini', value: 'p-2' },
        { label: 'Mercury', value: 'p-3' },
      ],
      disabled: false,
      placeholder: null,
      config_schema: null,
    });
    expect(fake.received.at(-1)?.authorization).toBe('Bearer demo-secret-value');
    const found = await list({ field: 'project', values: values(), search: 'gem' });
    expect(found.body).toMatchObject({ options: [{ label: 'Gemini', value: 'p-2' }] });
  });

  test('of several values depend on another field', async () => {
    const none = await list({ field: 'members', values: values() });
    expect(none.body).toMatchObject({ options: [], disabled: true, placeholder: 'Choose a project first' });
    const some = await list({ field: 'members', values: values({ project: 'p-2' }) });
    expect(some.body).toMatchObject({
      options: [
        { label: 'Ann of p-2', value: { user: 'Ann of p-2' } },
        { label: 'Bob of p-2', value: { user: 'Bob of p-2' } },
      ],
    });
  });

  test('of an object are its fields, with the names of the service', async () => {
    const { body } = await list({ field: 'details', values: values({ project: 'p-1' }) });
    expect(body).toMatchObject({
      options: null,
      config_schema: {
        type: 'object',
        required: ['crew size'],
        properties: {
          'crew size': { type: 'number', title: 'Crew size' },
          stage: { enum: ['pad', 'orbit'] },
          manned: { type: 'boolean' },
        },
      },
    });
  });

  test('of a trigger', async () => {
    const body = { event: 'new_item', field: 'project', authentication, values: values() };
    const response = await api('POST', '/packs/demo/choices', { body });
    expect(response.body, response.text).toMatchObject({ options: [{ label: 'Apollo' }, {}, {}] });
  });

  test('are the same in GraphQL', async () => {
    const query = `mutation ($input: ListPackChoicesInput!) {
      listPackChoices(name: "demo", input: $input) { options { label value } disabled loadedAt }
    }`;
    const input = { operation: 'choose', field: 'project', authentication, values: values() };
    const { body } = await api('POST', '/graphql', { body: { query, variables: { input } } });
    expect(body).toMatchObject({ data: { listPackChoices: { options: [{ label: 'Apollo' }, {}, {}] } } });
  });
});

test('an action gets the chosen values, and loaded fields by the names of the package', async () => {
  const chosen = {
    address: fake.address,
    project: 'p-1',
    members: [{ user: 'Ann of p-1' }],
    details: { 'crew size': 3, stage: 'orbit' },
  };
  const definition = {
    nodes: [
      manual,
      { id: 'choose', type: 'npm.demo', config: { operation: 'choose', authentication, ...chosen } },
    ],
    connections: [{ from: 'start', to: 'choose' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'W', definition } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const { body } = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
  expect(body).toMatchObject({ status: 'completed', output: chosen });
});

describe('loads', () => {
  const count = () => fake.received.length;

  test('are cached until they are refreshed; an error is not', async () => {
    const body = { field: 'project', values: values(), search: 'cached' };
    await list(body);
    const before = count();
    await list(body);
    expect(count()).toBe(before);
    await list({ ...body, refresh: true });
    expect(count()).toBe(before + 1);
    const failing = { ...body, search: 'failing' };
    fake.answer = (response) => response.writeHead(503).end('{"message": "Down for repairs"}');
    const failed = await list(failing);
    expect(readError(failed)).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'field', issue: 'project could not be loaded: Down for repairs' },
    });
    fake.answer = null;
    expect((await list(failing)).status).toBe(200);
  });

  test('that are equal run once', async () => {
    const before = count();
    let respond = (): void => {};
    fake.answer = (response) => (respond = () => void response.end('{"projects": []}'));
    const body = { field: 'project', values: values(), search: 'shared' };
    const both = [list(body), list(body)];
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(before);
    respond();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect(count()).toBe(before + 1);
  });

  test('end when the client disconnects', async () => {
    const [before, cancelled] = [count(), fake.cancelled()];
    fake.answer = () => {};
    const client = new AbortController();
    const scopes = ['workflows:write', 'secrets:use'];
    const made = await api('POST', '/api-keys', { body: { name: 'k', scopes } });
    const { key } = made.body as { key: string };
    const sent = fetch(`${service.url}/packs/demo/choices`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        operation: 'choose',
        authentication,
        field: 'project',
        values: values(),
        search: 'gone',
      }),
      signal: client.signal,
    });
    const end = expect(sent).rejects.toThrow();
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(before);
    client.abort();
    await end;
    // Sooner than the time limit of a load.
    await expect.poll(fake.cancelled, { timeout: 10_000 }).toBeGreaterThan(cancelled);
  });
});

describe('refusals name the field', () => {
  test.each([
    [{ field: 'other' }, 'field', 'must be a field whose choices the pack loads'],
    [{ field: 'address' }, 'field', 'must be a field whose choices the pack loads'],
    [{ field: 'project', operation: 'none' }, 'operation', 'must be an operation of this version'],
    [{ field: 'project', event: 'new_item' }, 'event', 'is not allowed together with operation'],
    [{ field: 'project', operation: undefined }, 'operation', 'is required'],
    [{ field: 'project', operation: undefined, event: 'unknown_event' }, 'event', /can start workflows/],
    [{ field: 'project', authentication: undefined }, 'authentication', 'is required'],
    [{ field: 'project', values: { unknown: 1 } }, 'values.unknown', /./],
    [{ field: 'project', values: { address: '{{ input.address }}' } }, 'values.address', /./],
    [
      { field: 'project', authentication: { type: 'secret_text', secret: '{{ secrets.NONE }}' } },
      'authentication.secret',
      /NONE/,
    ],
    [{ field: 'project', authentication: { type: 'odd' } }, 'authentication.type', /must be one of/],
    [{}, 'field', 'is required'],
  ])('%j', async (body, field, issue) => {
    const response = await list(body);
    expect(response.status, response.text).toBe(400);
    const { code, details } = readError(response);
    expect([code, details.field]).toEqual(['VALIDATION_ERROR', field]);
    expect(details.issue).toMatch(issue);
  });

  test('the credential reaches only its hosts', async () => {
    const elsewhere = values({ address: fake.address.replace('127.0.0.1', 'localhost') });
    const before = fake.received.length;
    const { details } = readError(await list({ field: 'project', values: elsewhere }));
    expect(details.issue).toContain('may not be sent to localhost');
    expect(fake.received).toHaveLength(before);
  });

  test('the scopes for workflows and secrets are needed', async () => {
    const withScopes = async (...scopes: string[]) => {
      const made = await api('POST', '/api-keys', { body: { name: 'k', scopes } });
      return caller(service.url, { 'x-api-key': (made.body as { key: string }).key });
    };
    const body = { field: 'project', values: values() };
    expect((await list(body, await withScopes('nodes:read'))).status).toBe(403);
    const refused = await list(body, await withScopes('workflows:write'));
    expect(readError(refused)).toMatchObject({
      code: 'FORBIDDEN',
      details: { scope: 'secrets:use', field: 'authentication.secret' },
    });
    expect((await list(body, await withScopes('workflows:write', 'secrets:use'))).status).toBe(200);
  });

  test('a pack of a document loads nothing, and a pack must be installed', async () => {
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Store', version: '1.0.0' },
      servers: [{ url: 'https://store.example.com' }],
      paths: { '/pets': { get: { operationId: 'list', responses: { 200: { description: 'Pets' } } } } },
    });
    await api('POST', '/packs', { body: { document, name: 'store' } });
    const body = { operation: 'list', field: 'x' };
    expect(readError(await api('POST', '/packs/store/choices', { body })).details.issue).toContain(
      'is no package of npm',
    );
    expect((await api('POST', '/packs/none/choices', { body })).status).toBe(404);
    expect((await list({ field: 'project', version: '9.0.0' })).status).toBe(404);
  });
});

describe('a broken pack', () => {
  const broken = (mode: string, field = 'one') =>
    list({ operation: 'broken_choices', authentication: undefined, field, values: { mode } });

  test.each([
    ['throw', 'one could not be loaded: The account was closed'],
    ['huge', 'The pack returned 6000 choices; the most that are accepted is 5000'],
    ['large', 'larger than 2097152 bytes of JSON'],
    ['nothing', 'The pack returned no list of choices'],
    ['no_list', 'The pack returned no list of choices'],
    ['no_value', 'contains a choice that cannot be used: number 2 has no value'],
  ])('%s', async (mode, issue) => {
    const response = await broken(mode);
    expect(response.status).toBe(400);
    expect(readError(response).details).toMatchObject({ field: 'field' });
    expect(readError(response).details.issue).toContain(issue);
  });

  test('what can be used of an odd list is shown', async () => {
    expect((await broken('odd')).body).toMatchObject({
      options: [
        { label: '7', value: 7 },
        { label: 'no label', value: 'no label' },
        { label: 'function', value: 'f' },
      ],
      placeholder: null,
    });
    expect(readError(await broken('any', 'fields')).details.issue).toContain('The pack returned no fields');
  });

  test.each(['hang', 'loop'])(
    '%s ends with the time limit, and the next load works',
    async (mode) => {
      const response = await broken(mode);
      expect(readError(response).details.issue).toBe(
        'one could not be loaded: the service did not respond within 20000 ms',
      );
      expect((await broken('odd')).status).toBe(200);
    },
    90_000,
  );
});
