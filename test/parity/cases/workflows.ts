import { greeting, longWait, manual } from '../../api/definitions.ts';
import type { Case } from './case.ts';
import { MISSING, prepareWorkflow, inputById, createWebhookDefinition } from './preparations.ts';

const deleted: Case['prepare'] = async (call) => {
  const vars = await prepareWorkflow()(call);
  await call('DELETE', `/workflows/${vars['id']}`);
  return vars;
};

export const workflowCases: readonly Case[] = [
  { operation: 'createWorkflow', title: 'the least', say: () => ({ body: { name: 'Least' } }) },
  {
    operation: 'createWorkflow',
    title: 'everything',
    say: () => ({
      body: {
        name: 'All',
        description: 'of it',
        status: 'inactive',
        tags: ['a', 'b'],
        settings: { timeout: '10m', max_concurrency: 3, retention: '7d' },
        definition: {
          ...greeting,
          nodes: greeting.nodes.map((node, i) => ({
            ...node,
            position: { x: i * 200, y: 0 },
            name: node.id,
            notes: 'n',
          })),
          annotations: [{ text: 'Hello' }],
        },
      },
    }),
  },
  ...(
    [
      ['an empty name', { name: '' }],
      ['a long name', { name: 'x'.repeat(201) }],
      ['an unknown status', { name: 'x', status: 'paused' }],
      ['a wrong setting', { name: 'x', settings: { timeout: 'soon' } }],
      ['a concurrency of 0', { name: 'x', settings: { max_concurrency: 0 } }],
      ['a node without a type', { name: 'x', definition: { nodes: [{ id: 'a' }], connections: [] } }],
      ['a doubled node', { name: 'x', definition: { nodes: [manual, manual], connections: [] } }],
      [
        'a connection to nothing',
        { name: 'x', definition: { nodes: [manual], connections: [{ from: 'start', to: 'gone' }] } },
      ],
      [
        'an unknown port',
        {
          name: 'x',
          definition: {
            ...greeting,
            connections: [{ from: 'start', to: 'greet', sourcePort: 'odd' }],
          },
        },
      ],
      [
        'active with errors',
        {
          name: 'x',
          status: 'active',
          definition: { nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] },
        },
      ],
      [
        'a draft with errors',
        { name: 'x', definition: { nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] } },
      ],
      ['tags twice', { name: 'x', tags: ['a', 'a'] }],
    ] as const
  ).map(([title, body]): Case => ({ operation: 'createWorkflow', title, say: () => ({ body }) })),
  { operation: 'createWorkflow', title: 'no name', say: () => ({ body: { description: 'x' } }) },
  {
    operation: 'createWorkflow',
    title: 'a number as the name',
    say: () => ({ body: { name: 5 } }),
  },
  {
    operation: 'createWorkflow',
    title: 'an unknown field',
    typed: true,
    say: () => ({ body: { name: 'x', stauts: 'draft' } }),
  },
  {
    operation: 'createWorkflow',
    title: 'without a credential',
    as: 'nobody',
    say: () => ({ body: { name: 'x' } }),
  },
  {
    operation: 'createWorkflow',
    title: 'a dry run',
    say: () => ({ body: { name: 'Dry', definition: greeting, dry_run: true } }),
  },
  {
    operation: 'createWorkflow',
    title: 'a dry run of what would be refused',
    say: () => ({
      body: {
        name: 'x',
        status: 'active',
        definition: { nodes: [{ id: 'a', type: 'nope' }] },
        dry_run: true,
      },
    }),
  },
  { operation: 'getWorkflow', title: 'one', prepare: prepareWorkflow(), say: inputById },
  {
    operation: 'listWorkflows',
    title: 'by status and text',
    say: () => ({ query: { status: 'inactive', search: 'ALL' } }),
  },
  { operation: 'listWorkflows', title: 'an unknown status', say: () => ({ query: { status: 'paused' } }) },
  {
    operation: 'updateWorkflow',
    title: 'its name and definition',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { name: 'Renamed', definition: longWait, version: 1 } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'a stale version',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { name: 'x', version: 9 } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'a step that is not allowed',
    prepare: prepareWorkflow(greeting, { status: 'active' }),
    say: (vars) => ({ ...inputById(vars), body: { status: 'draft' } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'one that is missing',
    say: () => ({ params: { id: MISSING.workflow }, body: { name: 'x' } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'onto a taken endpoint',
    prepare: async (call, api) => {
      await prepareWorkflow(createWebhookDefinition(`taken-${api}`), { status: 'active' })(call);
      return prepareWorkflow(createWebhookDefinition(`taken-${api}`))(call);
    },
    say: (vars) => ({ ...inputById(vars), body: { status: 'active' } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'a dry run',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { name: 'Dry', version: 1, dry_run: true } }),
  },
  {
    operation: 'updateWorkflow',
    title: 'a dry run onto a taken endpoint',
    prepare: async (call, api) => {
      await prepareWorkflow(createWebhookDefinition(`dry-${api}`), { status: 'active' })(call);
      return prepareWorkflow(createWebhookDefinition(`dry-${api}`))(call);
    },
    say: (vars) => ({ ...inputById(vars), body: { status: 'active', dry_run: true } }),
  },
  { operation: 'deleteWorkflow', title: 'one', prepare: prepareWorkflow(), say: inputById },
  {
    operation: 'deleteWorkflow',
    title: 'permanently',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), query: { permanent: true } }),
  },
  { operation: 'deleteWorkflow', title: 'one that is already deleted', prepare: deleted, say: inputById },
  {
    operation: 'listDeletedWorkflows',
    title: 'a page',
    prepare: deleted,
    say: () => ({ query: { limit: 1 } }),
  },
  { operation: 'undeleteWorkflow', title: 'one', prepare: deleted, say: inputById },
  {
    operation: 'undeleteWorkflow',
    title: 'one that is not deleted',
    prepare: prepareWorkflow(),
    say: inputById,
  },
  {
    operation: 'publishWorkflow',
    title: 'one that is not active',
    prepare: prepareWorkflow(),
    say: inputById,
  },
  {
    operation: 'publishWorkflow',
    title: 'one that is',
    prepare: prepareWorkflow(greeting, { status: 'active' }),
    say: inputById,
  },
  { operation: 'listWorkflowVersions', title: 'of one', prepare: prepareWorkflow(), say: inputById },
  {
    operation: 'getWorkflowVersion',
    title: 'the first',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' } }),
  },
  {
    operation: 'getWorkflowVersion',
    title: 'one that never was',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '7' } }),
  },
  {
    operation: 'nameWorkflowVersion',
    title: 'the first',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' }, body: { name: 'Before the sale' } }),
  },
  {
    operation: 'nameWorkflowVersion',
    title: 'without a name',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' }, body: { name: null } }),
  },
  {
    operation: 'nameWorkflowVersion',
    title: 'a name of spaces',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' }, body: { name: '  ' } }),
  },
  {
    operation: 'nameWorkflowVersion',
    title: 'one that never was',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '7' }, body: { name: 'x' } }),
  },
  {
    operation: 'restoreWorkflowVersion',
    title: 'the first',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '1' } }),
  },
  {
    operation: 'restoreWorkflowVersion',
    title: 'one that never was',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, version: '7' } }),
  },
  {
    operation: 'putPinnedOutput',
    title: 'an object',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, node_id: 'start' }, body: { output: { total: 12 } } }),
  },
  {
    operation: 'putPinnedOutput',
    title: 'with a port',
    prepare: prepareWorkflow(),
    say: (vars) => ({
      params: { id: vars['id']!, node_id: 'start' },
      body: { output: { total: 12 }, ports: ['out'] },
    }),
  },
  {
    operation: 'putPinnedOutput',
    title: 'with an unknown port',
    prepare: prepareWorkflow(),
    say: (vars) => ({
      params: { id: vars['id']!, node_id: 'start' },
      body: { output: 1, ports: ['missing'] },
    }),
  },
  {
    operation: 'putPinnedOutput',
    title: 'a missing node',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, node_id: 'missing' }, body: { output: 1 } }),
  },
  {
    operation: 'putPinnedOutput',
    title: 'a missing workflow',
    say: () => ({ params: { id: MISSING.workflow, node_id: 'start' }, body: { output: 1 } }),
  },
  { operation: 'listPinnedOutputs', title: 'an empty list', prepare: prepareWorkflow(), say: inputById },
  {
    operation: 'deletePinnedOutput',
    title: 'a missing one',
    prepare: prepareWorkflow(),
    say: (vars) => ({ params: { id: vars['id']!, node_id: 'start' } }),
  },
  {
    operation: 'listenToWebhook',
    title: 'a webhook',
    prepare: prepareWorkflow(createWebhookDefinition('any')),
    say: (vars) => ({ ...inputById(vars), body: {} }),
  },
  {
    operation: 'listenToWebhook',
    title: 'none',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: {} }),
  },
  {
    operation: 'stopListeningToWebhook',
    title: 'of one trigger',
    prepare: prepareWorkflow(createWebhookDefinition('closed')),
    say: (vars) => ({ ...inputById(vars), query: { node_id: 'start' } }),
  },
];
