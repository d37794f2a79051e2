import { expect, test } from 'vitest';
import type { NodeType } from '../model/catalog.ts';
import type { Doc, Entry } from '../model/document.ts';
import { addTool, createNodeDraft, createStatedDraft, createToolName } from './tool-draft.ts';

const type = {
  id: 'mail',
  name: 'Mail',
  description: 'Sends a mail.',
  secret_fields: ['password', 'to'],
  config_schema: {
    type: 'object',
    required: ['to', 'server'],
    'x-literal': ['server'],
    properties: {
      to: { type: 'string', title: 'To', description: 'The receiver.', 'x-ui': { order: 1 } },
      server: { type: 'string' },
      url: { type: 'string' },
      password: { type: 'string', 'x-ui': { control: 'secret' } },
      connection: { type: 'string', format: 'weft-connection' },
      tags: { type: 'array', items: { type: 'string', format: 'weft-path', 'x-ui': {} } },
    },
  },
} as unknown as NodeType;
const agent: Entry = {
  id: 'agent',
  type: 'agent',
  config: { model: [], tools: [{ name: 'mail', description: 'x', nodes: [] }] },
};
const doc = { nodes: new Map([['agent', agent]]), connections: [], notes: new Map() } as unknown as Doc;
const catalog = new Map([['mail', type]]);

test('fields can be left open, except credentials, addresses, and those without templates', () => {
  const draft = createNodeDraft(type, 'Mail', {});
  expect(draft.arguments).toEqual([
    {
      key: 'to',
      label: 'To',
      schema: { type: 'string', description: 'The receiver.' },
      isRequired: true,
    },
    { key: 'tags', label: 'Tags', schema: { type: 'array', items: { type: 'string' } }, isRequired: false },
  ]);
});

test('open fields are the parameters of the tool, and templates of its node', () => {
  const draft = createNodeDraft(type, 'Mail', { server: 'smtp' });
  const added = addTool(doc, catalog, 'agent', draft, {
    name: 'send',
    description: 'Sends.',
    open: new Set(['to']),
  });
  const tools = added.doc.nodes.get('agent')!.config!['tools'] as Record<string, unknown>[];
  expect(tools).toHaveLength(2);
  expect(tools[1]).toEqual({
    name: 'send',
    description: 'Sends.',
    parameters: {
      type: 'object',
      required: ['to'],
      properties: { to: { type: 'string', description: 'The receiver.' } },
      additionalProperties: false,
    },
    nodes: [added.nodeId],
  });
  expect(added.doc.nodes.get(added.nodeId)!.config).toEqual({ server: 'smtp', to: '{{ input.to }}' });
});

test('stated parameters are kept', () => {
  const parameters = { type: 'object', required: ['n'], properties: { n: { type: 'integer', title: 'N' } } };
  const draft = createStatedDraft({
    title: 'x',
    description: 'y',
    type: 'mail',
    config: { to: 'a' },
    parameters,
  });
  expect(draft.arguments).toMatchObject([{ key: 'n', label: 'N', isRequired: true }]);
  const added = addTool(doc, catalog, 'agent', draft, { name: 'x', description: 'y', open: new Set() });
  const tools = added.doc.nodes.get('agent')!.config!['tools'] as Record<string, unknown>[];
  expect(tools[1]).toMatchObject({ parameters });
  expect(added.doc.nodes.get(added.nodeId)!.config).toEqual({ to: 'a' });
});

test.each([
  ['Send e-mail', 'send_e_mail'],
  ['Mail', 'mail_2'],
  ['9 lives', 'tool_9_lives'],
  ['日本語', 'tool'],
  ['x'.repeat(100), 'x'.repeat(60)],
])('the name of %j is %s', (title, name) => {
  expect(createToolName(title, agent)).toBe(name);
});
