import type { Json, JsonObject } from '../../lib/json/json.ts';
import { orderDefinition } from './example-bodies.ts';

const versionAuthor = { type: 'user', name: 'Ada' };
const created = '2026-03-02T09:15:04.120Z';
const started = '2026-03-02T09:20:11.004Z';
const ended = '2026-03-02T09:20:11.362Z';

const workflow = {
  id: 'wf_01kjqv8w2mzr4c',
  name: 'Large orders',
  description: 'Reports every order above 500 to the warehouse.',
  status: 'active',
  created_at: created,
  updated_at: created,
  node_count: 3,
  execution_count: 128,
  version: 2,
  active_version: 2,
  tags: ['orders'],
  last_execution: { id: 'ex_01kjqvk3d8f0ws', status: 'completed', started_at: started },
  next_due_at: null,
};

const account = {
  name: 'GITHUB',
  description: 'The shop at GitHub',
  provider: 'github',
  provider_fields: {},
  grant_type: 'authorization_code',
  authorization_url: 'https://github.com/login/oauth/authorize',
  token_url: 'https://github.com/login/oauth/access_token',
  client_id: 'Iv1.8a61f9b3a7aba766',
  has_client_secret: true,
  authentication: null,
  field_names: null,
  scopes: ['repo', 'read:user'],
  client_authentication: 'body',
  pkce: true,
  authorization_params: {},
  base_url: null,
  test_url: null,
  test_method: 'GET',
  test_status: null,
  hosts: null,
  redirect_uri: 'http://127.0.0.1:8080/v1/connections/callback',
  status: 'connected',
  error: null,
  granted_scopes: ['repo', 'read:user'],
  refreshable: false,
  expires_at: null,
  authorized_at: created,
  refreshed_at: created,
  created_at: created,
  updated_at: created,
};

const input = { body: { id: 'o-17', total: 720 } };
const output = { status: 201, headers: { 'content-type': 'application/json' }, body: { shipment: 9041 } };
const summary = {
  id: 'ex_01kjqvk3d8f0ws',
  workflow_id: workflow.id,
  workflow_version: 2,
  status: 'completed',
  trigger: { type: 'manual' },
  progress: 1,
  current_node: null,
  start_time: started,
  end_time: ended,
  duration: 358,
  parent_execution_id: null,
  retry_of: null,
};
const execution = { ...summary, input, output, error: null };

const nodeRun = (nodeId: string, type: string, result: Json, at: string): JsonObject => ({
  node_id: nodeId,
  path: nodeId,
  type,
  status: 'completed',
  attempt: 1,
  start_time: at,
  end_time: ended,
  duration: 2,
  input,
  output: result,
  output_ports: ['out'],
  error: null,
});
const delayNode = {
  id: 'delay',
  name: 'Delay',
  description: 'Waits for a duration or until a time, then passes on its input.',
  category: 'flow',
  version: '1.0.0',
  inputs: [{ name: 'in', type: 'any', required: true, description: 'The input.' }],
  outputs: [{ name: 'out', type: 'any', description: 'The input, unchanged.' }],
  config_schema: {
    type: 'object',
    properties: { duration: { type: 'string' }, until: { type: 'string' } },
  },
  icon: 'clock',
  keywords: ['wait', 'sleep', 'pause'],
  custom: false,
  effects: 'none',
  secret_fields: [],
  pack: null,
  implementation: null,
};

const pack = {
  name: 'petstore',
  version: '1.1.0',
  kind: 'openapi',
  node_type: 'openapi.petstore',
  title: 'Petstore',
  description: 'The pets of a store.',
  operations: 12,
  document: {
    sha256: 'b0c2e9d3a7f4418c5f6e1d2a9b8c7e6f50413223140516273849505f6e7d8c9b',
    size: 48_213,
    url: 'https://petstore.example.com/openapi.json',
  },
  installed_by: 'usr_01kjqv7t5n9xba',
  installed_at: created,
  versions: ['1.1.0', '1.0.0'],
};

const packDetail = {
  ...pack,
  document_version: '1.1',
  servers: [{ url: 'https://petstore.example.com/v1', description: 'Production' }],
  authentication: [
    {
      id: 'key',
      kind: 'api_key',
      description: 'A key of the store.',
      field: 'apiKeys.key',
      in: 'header',
      name: 'X-Key',
      grants: [],
      fields: [],
    },
  ],
  package: null,
  triggers: [],
  warnings: [],
};

const nodeRuns = [
  nodeRun('order', 'trigger', input, started),
  nodeRun('is_large', 'condition', { true: input }, started),
  nodeRun('tell_warehouse', 'http_request', output, started),
];

/**
 * Example responses by component. Others are composed of their fields. The tests validate each against its
 * schema.
 */
export const exampleResponses: Readonly<Record<string, Json>> = {
  Pack: pack,
  PackDetail: packDetail,
  PackInstallation: {
    outcome: 'installed',
    dry_run: false,
    pack: packDetail,
    changes: {
      from_version: '1.0.0',
      added_count: 1,
      removed_count: 0,
      changed_count: 1,
      added: [{ id: 'createPet', title: 'Create a pet' }],
      removed: [],
      changed: [
        {
          id: 'listPets',
          title: 'List the pets',
          added: ['query.limit'],
          removed: [],
          changed: ['query.status'],
          required: [],
          properties: ['response'],
        },
      ],
    },
    suggested_version: '1.1.0',
  },
  Error: {
    error: {
      code: 'VALIDATION_ERROR',
      message: 'name: is required',
      details: {
        field: 'name',
        issue: 'is required',
        errors: [{ field: 'name', issue: 'is required' }],
      },
    },
  },
  Pagination: { page: 1, limit: 10, total: 1, total_pages: 1 },
  LoginUser: { id: 'usr_01kjqtz9h4n2xe', email: 'ada@example.com', name: 'Ada' },
  User: {
    id: 'usr_01kjqtz9h4n2xe',
    email: 'ada@example.com',
    name: 'Ada',
    role: 'admin',
    plan: 'enterprise',
    created_at: created,
  },
  Login: {
    token: 'eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJzZXMifQ.c2ln',
    expires_in: 3600,
    user: { id: 'usr_01kjqtz9h4n2xe', email: 'ada@example.com', name: 'Ada' },
  },
  ApiKey: {
    id: 'key_01kjqw1b7gq3ta',
    name: 'nightly import',
    prefix: 'weft_5Jq2',
    scopes: ['workflows:read', 'executions:read', 'executions:write'],
    expires_at: '2099-01-01T00:00:00.000Z',
    created_at: created,
    last_used_at: null,
  },
  NewApiKey: {
    id: 'key_01kjqw1b7gq3ta',
    name: 'nightly import',
    prefix: 'weft_5Jq2',
    scopes: ['workflows:read', 'executions:read', 'executions:write'],
    expires_at: '2099-01-01T00:00:00.000Z',
    created_at: created,
    last_used_at: null,
    key: 'weft_5Jq2…',
  },
  Secret: {
    name: 'WAREHOUSE_TOKEN',
    hosts: ['api.example.com'],
    description: 'Token of the warehouse',
    created_at: created,
    updated_at: created,
  },
  ConnectedAccount: account,
  NewConnectedAccount: {
    ...account,
    status: 'pending',
    granted_scopes: null,
    authorized_at: null,
    refreshed_at: null,
    connect_url: `${account.authorization_url}?response_type=code&client_id=${account.client_id}&scope=repo+read%3Auser&state=mS0zTqvYk2…`,
  },
  ConnectionInvitation: {
    connect_url: `${account.authorization_url}?response_type=code&client_id=${account.client_id}&scope=repo+read%3Auser&state=mS0zTqvYk2…`,
    expires_at: '2026-03-02T09:25:04.120Z',
  },
  ConnectionTest: {
    ok: true,
    message: 'api.github.com responded with 200',
    http_status: 200,
    status: 'connected',
  },
  ConnectionProvider: {
    id: 'shopify',
    title: 'Shopify',
    authorization_url: 'https://{shop}.myshopify.com/admin/oauth/authorize',
    token_url: 'https://{shop}.myshopify.com/admin/oauth/access_token',
    scope_separator: ',',
    client_authentication: 'body',
    pkce: false,
    authorization_params: {},
    fields: [
      {
        name: 'shop',
        title: 'Shop',
        pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
        example: 'acme',
        default: null,
      },
    ],
    hosts: ['myshopify.com'],
    base_url: null,
    test_url: null,
    reviewed: {
      date: '2026-11-25',
      source:
        'https://github.com/Shopify/shopify-app-js/blob/main/packages/apps/shopify-api/lib/auth/oauth/oauth.ts',
    },
  },
  WorkflowSummary: workflow,
  Workflow: {
    ...workflow,
    definition: {
      nodes: orderDefinition.nodes.map((node) => ({ ...node, version: '1.0.0' })),
      connections: orderDefinition.connections,
    },
    issues: [],
    triggers: [
      {
        node_id: 'order',
        type: 'webhook',
        url: 'http://127.0.0.1:8080/v1/webhooks/orders',
        method: 'POST',
      },
    ],
    owner_id: 'usr_01kjqtz9h4n2xe',
    settings: {
      timeout: '10m',
      max_concurrency: 50,
      on_failure_workflow: null,
      retention: null,
      max_cost_per_day: 5,
      max_tokens_per_day: null,
    },
  },
  WorkflowVersion: {
    workflow_id: workflow.id,
    version: 2,
    name: null,
    author: versionAuthor,
    created_at: created,
    node_count: 3,
    definition: {
      nodes: orderDefinition.nodes.map((node) => ({ ...node, version: '1.0.0' })),
      connections: orderDefinition.connections,
    },
  },
  WorkflowVersionSummary: {
    version: 2,
    name: 'Before the sale',
    author: versionAuthor,
    created_at: created,
    node_count: 3,
  },
  ExecutionSummary: { ...summary, retries: [], error: null },
  Execution: execution,
  ExecutionDetail: { ...execution, retries: [], usage: null, nodes: nodeRuns, nodes_total: nodeRuns.length },
  NodeRun: nodeRuns[2]!,
  NodeError: {
    type: 'server_error',
    message: 'https://api.example.com/shipments responded with 503.',
    node_id: 'tell_warehouse',
    attempt: 5,
    status: 503,
  },
  LogEntry: {
    timestamp: started,
    level: 'info',
    node_id: 'tell_warehouse',
    message: 'The node started.',
    data: { attempt: 1 },
  },
  Node: delayNode,
  NodeDetail: { ...delayNode, handler: null },
  Health: { status: 'ok', version: '0.1.0', uptime: 86_400_000, checks: { store: { status: 'ok' } } },
  Ready: { status: 'ready' },
};
