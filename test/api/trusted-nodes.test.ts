import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runWeft, spawnService, createTempFolder, type Call } from '../support/service.ts';

const folder = createTempFolder();
afterAll(() => folder.remove());

let made = 0;
/** A folder with these files. */
function nodes(files: Record<string, string>): string {
  const location = path.join(folder.path, `nodes${made++}`);
  mkdirSync(location);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(location, name), text);
  return location;
}

const greet = `
import { defineNode, Type, closed, done, type Outcome } from 'weft/node-kit';
import { punctuated } from './words.ts';

export default defineNode({
  type: 'greet',
  version: '1.2.0',
  name: 'Greet',
  category: 'data',
  description: 'Greets a person.',
  icon: 'hand',
  config: closed({ name: Type.String({ minLength: 1, description: 'Who.' }), loud: Type.Optional(Type.Boolean()) }),
  outputs: [{ name: 'out', type: 'object', description: 'The greeting' }],
  effects: 'none',
  run(ctx, config): Outcome {
    ctx.log('info', 'greeting ' + config.name);
    const text: string = 'Hello ' + config.name;
    return done({ text: punctuated(config.loud === true ? text.toUpperCase() : text), at: ctx.attempt });
  },
  examples: [
    { title: 'A name', config: { name: '{{ input.name }}' }, input: { name: 'Ada' }, outputs: { out: { text: 'Hello Ada!', at: 1 } } },
    { title: 'None', config: { name: '' }, input: null, failure: 'validation' },
  ],
});`;
const words = `export const punctuated = (text: string): string => text + '!';`;
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

describe('in the built service', () => {
  const location = nodes({
    'greet.node.ts': greet,
    'words.ts': words,
    'probe.node.mjs': plain(
      'probe',
      `try { await ctx.http.send({ method: 'GET', url: config.url }); return { kind: 'done', outputs: { out: 'reached' } }; }
       catch (error) { return { kind: 'done', outputs: { out: [error instanceof HttpFailure, error.failure.type] } }; }`,
    ),
    'sloppy.node.mjs': plain(
      'sloppy',
      'if (input.how === "throw") throw new Error("a slip"); return { undefined: undefined, nan: { kind: "done", outputs: { out: [NaN] } }, class: { kind: "done", outputs: { out: new Map() } }, port: { kind: "done", outputs: { other: 1 } }, none: undefined, odd: { kind: "failed", error: { type: "odd", message: "x" } } }[input.how];',
    ),
    'notes.txt': 'not a node',
  });
  let service: Awaited<ReturnType<typeof spawnService>>;
  let api: Call;
  beforeAll(async () => {
    service = await spawnService({
      dataDir: path.join(folder.path, 'data'),
      env: { WEFT_NODES_DIR: location, WEFT_ALLOWED_HOSTS: '' },
    });
    api = await service.login();
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  async function run(type: string, config: object, input: unknown): Promise<Record<string, unknown>> {
    const definition = {
      nodes: [
        { id: 't', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'x', type, config },
      ],
      connections: [{ from: 't', to: 'x' }],
    };
    const workflow = await api('POST', '/workflows', { body: { name: 'w', definition } });
    expect(workflow.status, workflow.text).toBe(201);
    expect((workflow.body as { issues: object[] }).issues).toEqual([]);
    const { id } = workflow.body as { id: string };
    return (await api('POST', `/workflows/${id}/execute`, { body: { input, wait: '30s' } })).body as Record<
      string,
      unknown
    >;
  }

  test('a node is in the catalog like any other, and runs', async () => {
    expect((await api('GET', '/nodes/greet')).body).toMatchObject({
      id: 'greet',
      version: '1.2.0',
      custom: false,
      implementation: null,
      effects: 'none',
      config_schema: { required: ['name'], properties: { retryPolicy: expect.anything() } },
    });
    expect(await run('greet', { name: '{{ input.who }}', loud: true }, { who: 'Bob' })).toMatchObject({
      status: 'completed',
      output: { text: 'HELLO BOB!', at: 1 },
    });
  });

  test('its requests pass the egress policy, and errors have the documented class', async () => {
    const { output } = await run('probe', { url: service.url }, {});
    expect(output).toEqual([true, 'forbidden']);
  });

  test.each([
    ['none', /did not return an outcome/],
    ['nan', /returned NaN on the port out/],
    ['class', /an object of a class/],
    ['port', /undeclared port other/],
    ['odd', /failed with an unknown error type/],
    ['throw', /./],
  ])('what it does wrong (%s) fails the node run, and nothing else', async (how, message) => {
    const found = await run('sloppy', {}, { how });
    expect(found).toMatchObject({
      status: 'failed',
      error: { type: 'internal', message: expect.stringMatching(message) },
    });
    expect(await run('greet', { name: 'Eve' }, {})).toMatchObject({ status: 'completed' });
  });

  test('its name cannot be used by custom nodes', async () => {
    const body = {
      nodeType: 'greet',
      implementation: { runtime: 'javascript', handler: 'export default () => ({})' },
    };
    expect((await api('POST', '/nodes', { body })).body).toMatchObject({ error: { code: 'CONFLICT' } });
  });
});

test('a file that is wrong stops the start, and is named', async () => {
  const started = await runWeft(['start'], {
    PORT: '0',
    WEFT_DATA_DIR: path.join(folder.path, 'data-bad'),
    WEFT_NODES_DIR: nodes({ 'good.node.mjs': plain('good', ''), 'bad.node.mjs': 'export default {' }),
  });
  expect(started.code).toBe(1);
  expect(started.stderr).toMatch(/bad\.node\.mjs cannot be loaded: SyntaxError/);
});

test('weft nodes check runs the examples of a folder or a file', async () => {
  const location = nodes({
    'greet.node.ts': greet,
    'words.ts': words,
    'probe.node.mjs': plain('probe', ''),
  });
  const good = await runWeft(['nodes', 'check', location], {});
  expect(good.stdout).toBe(`greet.node.ts: greet 1.2.0
  ok: A name
  ok: None
probe.node.mjs: probe 1.0.0
  fits, and is not run, as the node has effects: One
`);
  expect(good.code).toBe(0);
  writeFileSync(path.join(location, 'words.ts'), words.replace('!', '?'));
  const wrong = await runWeft(['nodes', 'check', path.join(location, 'greet.node.ts')], {});
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(/WRONG: A name: gave {"out":{"text":"Hello Ada\?","at":1}}, not/);
  const none = await runWeft(['nodes', 'check'], {});
  expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/Name a folder or a file/)]);
});
