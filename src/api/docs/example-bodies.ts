import type { Json } from '../../lib/json/json.ts';
import type { BodyExample } from './body-example.ts';
import { connectorBodies } from './connector-bodies.ts';

/** The definition that all pages use: large orders are reported to the warehouse. */
export const orderDefinition = {
  nodes: [
    {
      id: 'order',
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: {
        triggerType: 'webhook',
        endpoint: 'orders',
        method: 'POST',
        authentication: 'bearer',
        secret: 'ORDERS_KEY',
        expectedSchema: { id: 'string', total: 'number' },
      },
    },
    {
      id: 'is_large',
      type: 'condition',
      position: { x: 240, y: 0 },
      config: { condition: { field: 'body.total', operator: 'greater_than', value: 500 } },
    },
    {
      id: 'tell_warehouse',
      type: 'http_request',
      position: { x: 480, y: 0 },
      config: {
        method: 'POST',
        url: 'https://api.example.com/shipments',
        authentication: { type: 'bearer', token: '{{ secrets.WAREHOUSE_TOKEN }}' },
        body: { order: '{{ input.body.id }}', priority: 'high' },
        retryPolicy: { maxAttempts: 5, initialDelay: '2s' },
      },
    },
  ],
  connections: [
    { from: 'order', to: 'is_large' },
    { from: 'is_large', to: 'tell_warehouse', sourcePort: 'true' },
  ],
} satisfies Json;

/** Examples by operation; the first one is used in the example request of the page. */
export const bodyExamples: Readonly<Record<string, readonly BodyExample[]>> = {
  login: [
    {
      title: 'Email and password',
      value: { email: 'ada@example.com', password: 'correct horse battery staple' },
    },
  ],
  openCookieSession: [
    {
      title: 'Email and password',
      value: { email: 'ada@example.com', password: 'correct horse battery staple' },
    },
  ],
  refreshSession: [
    { title: 'The old token in the Authorization header', value: {} },
    { title: 'The old token in the body', value: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJzZXMifQ.c2ln' } },
  ],
  changePassword: [
    {
      title: 'A longer password',
      value: {
        current_password: 'correct horse battery staple',
        new_password: 'twelve grey geese over the weir',
      },
    },
  ],
  createUser: [
    {
      title: 'A member with a plan',
      value: {
        email: 'grace@example.com',
        password: 'a moth in relay seventy',
        name: 'Grace',
        role: 'member',
        plan: 'pro',
      },
    },
  ],
  updateUser: [
    { title: 'Change the plan', value: { plan: 'enterprise' } },
    { title: 'Make the user an administrator', value: { role: 'admin' } },
  ],
  createApiKey: [
    {
      title: 'A key that can only run and read',
      value: {
        name: 'nightly import',
        scopes: ['workflows:read', 'executions:read', 'executions:write'],
        expires_at: '2099-01-01T00:00:00.000Z',
      },
    },
    { title: 'A key with all permissions of its owner', value: { name: 'command line' } },
  ],
  resumeExecution: [{ title: 'A decision', value: { approved: true, by: 'Ada' } }],
  respondToDecision: [
    { title: 'Approve', value: { choice: 'approved' } },
    {
      title: 'Reject with a reason',
      value: { choice: 'rejected', comment: 'Over the budget of this month' },
    },
  ],
  putPinnedOutput: [
    { title: 'An order', value: { output: { body: { id: 'o-18', total: 12 } } } },
    { title: 'On a port', value: { output: { id: 'o-18', total: 12 }, ports: ['out'] } },
  ],
  putSecret: [
    {
      title: 'A token for one host',
      value: {
        value: 'wh-5b1f27c9d04e8a36',
        hosts: ['api.example.com'],
        description: 'Token of the warehouse',
      },
    },
  ],
  createConnection: [
    {
      title: 'A GitHub account',
      value: {
        name: 'GITHUB',
        provider: 'github',
        client_id: 'Iv1.8a61f9b3a7aba766',
        client_secret: 'c0ffee5b1f27c9d04e',
        scopes: ['repo', 'read:user'],
        description: 'The shop at GitHub',
        return_to: '/connections',
      },
    },
    {
      title: 'Another service',
      value: {
        name: 'WAREHOUSE',
        authorization_url: 'https://auth.example.com/authorize',
        token_url: 'https://auth.example.com/token',
        client_id: 'weft',
        client_secret: 'c0ffee5b1f27c9d04e',
        scopes: ['orders'],
        hosts: ['api.example.com'],
      },
    },
    {
      title: 'The app itself, without a user',
      value: {
        name: 'REPORTS',
        grant_type: 'client_credentials',
        token_url: 'https://auth.example.com/token',
        client_id: 'weft',
        client_secret: 'c0ffee5b1f27c9d04e',
      },
    },
    {
      title: 'An API key',
      value: {
        name: 'STOCK',
        grant_type: 'fields',
        authentication: { type: 'header', name: 'X-API-Key' },
        fields: { value: 'k-7c9d04e5b1f2' },
        hosts: ['stock.example.com'],
        test_url: 'https://stock.example.com/me',
      },
    },
    {
      title: 'Several values',
      value: {
        name: 'SHIPPING',
        grant_type: 'fields',
        authentication: {
          type: 'custom',
          placements: [
            { in: 'header', name: 'X-App-Id', field: 'app_id' },
            { in: 'query', name: 'key', field: 'api_key' },
          ],
        },
        fields: { app_id: 'weft-17', api_key: 'k-7c9d04e5b1f2' },
        hosts: ['shipping.example.com'],
      },
    },
  ],
  updateConnection: [
    { title: 'Request more scopes', value: { scopes: ['repo', 'read:user', 'workflow'] } },
    { title: 'Change the client secret', value: { client_secret: 'decaf17c9d04e5b1f2' } },
  ],
  authorizeConnection: [
    { title: 'Return to a page', value: { return_to: '/connections' } },
    { title: 'Return to a page of Weft', value: {} },
  ],
  setModelPrices: [
    {
      title: 'A model, and all others of a provider',
      value: {
        prices: [
          { model: 'openai/gpt-5-mini', input: 0.25, cached_input: 0.025, output: 2 },
          { model: 'anthropic/*', input: 3, output: 15 },
        ],
      },
    },
  ],
  createWorkflow: [
    {
      title: 'A webhook, a condition and an HTTP request',
      value: {
        name: 'Large orders',
        description: 'Reports every order above 500 to the warehouse.',
        definition: orderDefinition,
        settings: { timeout: '10m', max_concurrency: 50, max_cost_per_day: 5 },
        tags: ['orders'],
      },
    },
    { title: 'An empty draft', value: { name: 'Draft' } },
    {
      title: 'Every night at three',
      value: {
        name: 'Nightly report',
        definition: {
          nodes: [
            {
              id: 'nightly',
              type: 'trigger',
              config: { triggerType: 'schedule', cron: '0 3 * * *', timezone: 'Europe/Berlin' },
            },
            {
              id: 'build',
              type: 'http_request',
              config: { method: 'POST', url: 'https://api.example.com/reports' },
            },
          ],
          connections: [{ from: 'nightly', to: 'build' }],
        },
        status: 'active',
      },
    },
  ],
  updateWorkflow: [
    { title: 'Activate it', value: { status: 'active' } },
    { title: 'Rename it, unless it has been changed', value: { name: 'Orders above 500', version: 1 } },
  ],
  executeWorkflow: [
    {
      title: 'Wait for the result',
      value: { input: { body: { id: 'o-17', total: 720 } }, wait: '30s' },
    },
    {
      title: 'Test with a fixed output of one node',
      value: {
        input: { body: { id: 'o-17', total: 720 } },
        until: 'is_large',
        pins: { order: { body: { id: 'o-18', total: 12 } } },
        pin_ports: { order: ['out'] },
      },
    },
    { title: 'Run it', value: {} },
  ],
  retryExecution: [
    { title: 'From the failed nodes', value: { from: 'failed' } },
    {
      title: 'From one node, with new input and the newest definition',
      value: {
        from: 'tell_warehouse',
        input: { body: { id: 'o-17', total: 720 } },
        version: 'current',
      },
    },
    { title: 'From a node in the second iteration of a loop', value: { from: 'orders[1]/notify' } },
  ],
  evaluateTemplate: [
    {
      title: 'With custom data',
      value: {
        template: 'Dear {{ input.name | capitalize }}, order {{ nodes.order.id }} is on its way.',
        input: { name: 'ada' },
        nodes: { order: { id: 'o-17' } },
      },
    },
  ],
  listenToWebhook: [{ title: 'One of several triggers', value: { node_id: 'order' } }],
  createTemplate: [
    {
      title: 'A workflow with parameters',
      value: {
        templateName: 'nightly_call',
        version: '1.0.0',
        description: 'Calls a URL every night.',
        parameters: [
          { name: 'address', type: 'string', required: true, description: 'The URL to call.' },
          { name: 'method', type: 'select', options: ['GET', 'POST'], default: 'POST' },
        ],
        workflow: {
          name: 'Nightly call',
          definition: {
            nodes: [
              { id: 'nightly', type: 'trigger', config: { triggerType: 'schedule', cron: '0 3 * * *' } },
              {
                id: 'call',
                type: 'http_request',
                config: { method: '{{ parameters.method }}', url: '{{ parameters.address }}' },
              },
            ],
            connections: [{ from: 'nightly', to: 'call' }],
          },
        },
      },
    },
  ],
  instantiateTemplate: [
    {
      title: 'With values for its parameters',
      value: { parameters: { address: 'https://api.example.com/reports' } },
    },
  ],
  nameWorkflowVersion: [{ title: 'A name', value: { name: 'Before the sale' } }],
  testNode: [
    {
      title: 'A test of a custom node',
      value: {
        inputs: { n: { type: 'number', required: true } },
        outputs: { doubled: 'number' },
        implementation: {
          runtime: 'javascript',
          handler: 'export default async (inputs) => ({ doubled: inputs.n * 2 })',
        },
        values: { n: 21 },
      },
    },
  ],
  registerNode: [
    {
      title: 'A custom node in JavaScript',
      value: {
        nodeType: 'double',
        description: 'Doubles a number.',
        keywords: ['twice', 'multiply'],
        version: '1.0.0',
        inputs: { n: { type: 'number', required: true } },
        outputs: { doubled: 'number' },
        implementation: {
          runtime: 'javascript',
          handler: 'export default async (inputs) => ({ doubled: inputs.n * 2 })',
          dependencies: {},
        },
      },
    },
  ],
  ...connectorBodies,
  createOAuthClient: [
    {
      title: 'A service that acts on your behalf',
      value: { name: 'Billing', scopes: ['workflows:read', 'executions:write'] },
    },
    {
      title: 'A web application with user login',
      value: {
        name: 'Dashboard',
        redirect_uris: ['https://dashboard.example.com/callback'],
        scopes: ['workflows:read', 'executions:read'],
      },
    },
  ],
};
