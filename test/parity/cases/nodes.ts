import type { Case } from './case.ts';
import { createResource, custom } from './preparations.ts';

export const nodeCases: readonly Case[] = [
  { operation: 'listNodes', title: 'of a category', say: () => ({ query: { category: 'http' } }) },
  { operation: 'listNodes', title: 'an unknown category', say: () => ({ query: { category: 'odd' } }) },
  { operation: 'listNodes', title: 'by text', say: () => ({ query: { search: 'webhook' } }) },
  { operation: 'getNode', title: 'one', say: () => ({ params: { id: 'http_request' } }) },
  { operation: 'listNodeVersions', title: 'of one', say: () => ({ params: { id: 'condition' } }) },
  {
    operation: 'testNode',
    title: 'an input of another type',
    say: () => {
      const { nodeType: _nodeType, description: _description, ...code } = custom;
      return { body: { ...code, values: { n: 'two' } } };
    },
  },
  { operation: 'registerNode', title: 'one', say: () => ({ body: custom }) },
  {
    operation: 'registerNode',
    title: 'the same again, changed',
    say: () => ({ body: { ...custom, description: 'Other' } }),
  },
  {
    operation: 'registerNode',
    title: 'the name of a built-in',
    say: () => ({ body: { ...custom, nodeType: 'condition' } }),
  },
  {
    operation: 'registerNode',
    title: 'packages that are no lock',
    say: () => ({
      body: {
        ...custom,
        nodeType: 'packed',
        implementation: {
          ...custom.implementation,
          dependencies: { lodash: { version: '^4', integrity: 'sha1-abc' } },
        },
      },
    }),
  },
  {
    operation: 'registerNode',
    title: 'code that is none',
    say: () => ({
      body: {
        ...custom,
        nodeType: 'broken',
        implementation: { ...custom.implementation, handler: 'export default (' },
      },
    }),
  },
  {
    operation: 'listPackChoices',
    title: 'of an unknown pack',
    say: () => ({ params: { name: 'none' }, body: { operation: 'send', field: 'channel' } }),
  },
  {
    operation: 'listPackChoices',
    title: 'of no field',
    say: () => ({ params: { name: 'none' }, body: { operation: 'send' } }),
  },
  { operation: 'listMcpTools', title: 'of no server', say: () => ({ body: {} }) },
  { operation: 'listMcpTools', title: 'of no URL', say: () => ({ body: { url: 'mcp' } }) },
  {
    operation: 'listMcpTools',
    title: 'of a server that must not be called',
    say: () => ({ body: { url: 'http://10.9.8.7/mcp' } }),
  },
  {
    operation: 'listMcpTools',
    title: 'with a secret that is not there',
    say: () => ({
      body: {
        url: 'https://mcp.example.com',
        authentication: { type: 'bearer', token: '{{ secrets.NONE }}' },
      },
    }),
  },
  {
    operation: 'listMcpTools',
    title: 'with data of an execution',
    say: () => ({ body: { url: 'https://mcp.example.com/{{ input.path }}' } }),
  },
  { operation: 'deleteNode', title: 'one that comes with Weft', say: () => ({ params: { id: 'delay' } }) },
  {
    operation: 'deleteNode',
    title: 'one in use',
    prepare: async (call) => ({
      id: await createResource(call, 'POST', '/workflows', {
        name: 'uses it',
        definition: { nodes: [{ id: 'x', type: custom.nodeType, config: {} }], connections: [] },
      }),
    }),
    say: () => ({ params: { id: custom.nodeType } }),
  },
  {
    operation: 'deleteNode',
    title: 'a version that is not there',
    say: () => ({ params: { id: custom.nodeType }, query: { version: '9.9.9' } }),
  },
  { operation: 'listPacks', title: 'by text', as: 'admin', say: () => ({ query: { search: 'none' } }) },
  { operation: 'installPack', title: 'no document', as: 'admin', say: () => ({ body: { document: '{}' } }) },
  { operation: 'installPack', title: 'not an administrator', say: () => ({ body: { document: '{}' } }) },
  { operation: 'getPack', title: 'unknown', as: 'admin', say: () => ({ params: { name: 'none' } }) },
  { operation: 'deletePack', title: 'unknown', as: 'admin', say: () => ({ params: { name: 'none' } }) },
  {
    operation: 'listPackOperations',
    title: 'of an unknown pack',
    as: 'admin',
    say: () => ({ params: { name: 'none' } }),
  },
  {
    operation: 'listPackOperationNames',
    title: 'a wrong version',
    as: 'admin',
    say: () => ({ params: { name: 'none' }, query: { version: 'x' } }),
  },
  {
    operation: 'listPackWorkflows',
    title: 'of an unknown pack',
    as: 'admin',
    say: () => ({ params: { name: 'none' } }),
  },
  {
    operation: 'listPackWorkflows',
    title: 'not an administrator',
    say: () => ({ params: { name: 'none' } }),
  },
  { operation: 'getPackApp', title: 'not an administrator', say: () => ({ params: { name: 'none' } }) },
  {
    operation: 'getPackApp',
    title: 'of an unknown pack',
    as: 'admin',
    say: () => ({ params: { name: 'none' } }),
  },
  {
    operation: 'putPackApp',
    title: 'of an unknown pack',
    as: 'admin',
    say: () => ({ params: { name: 'none' }, body: { signing_secret: 'key' } }),
  },
  {
    operation: 'putPackApp',
    title: 'no secret',
    as: 'admin',
    say: () => ({ params: { name: 'none' }, body: { signing_secret: '' } }),
  },
  {
    operation: 'deletePackApp',
    title: 'of an unknown pack',
    as: 'admin',
    say: () => ({ params: { name: 'none' } }),
  },
  {
    operation: 'getPackOperation',
    title: 'of an unknown pack',
    as: 'admin',
    say: () => ({ params: { name: 'none', id: 'list' } }),
  },
];
