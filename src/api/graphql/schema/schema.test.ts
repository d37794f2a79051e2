import path from 'node:path';
import { GraphQLNonNull, isInputObjectType, isObjectType, isScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { routeGroups, type RouteServices } from '../../rest/routes.ts';
import { createSchema, printSchemaSorted } from './schema.ts';
import type { GraphqlServices } from '../services.ts';

// Operations call their services only when they run.
const { schema, operations } = createSchema({} as unknown as GraphqlServices);

test('docs/reference/schema.graphql is up to date; regenerate it with: npm test -- src/api/graphql/schema/schema.test.ts -u', async () => {
  const file = path.join(import.meta.dirname, '../../../../docs/reference/schema.graphql');
  await expect(printSchemaSorted(schema)).toMatchFileSnapshot(file);
});

/** The contract, section 4: operations, arguments and nullability. */
describe('the contract', () => {
  const fixed: [string, string, string, string][] = [
    ['Query', 'workflows', 'filter: WorkflowFilter', '[Workflow!]!'],
    ['Query', 'workflow', 'id: ID!', 'Workflow'],
    ['Query', 'nodes', 'filter: NodeFilter', '[Node!]!'],
    ['Query', 'node', 'id: ID!', 'Node'],
    ['Query', 'executions', 'filter: ExecutionFilter', '[Execution!]!'],
    ['Query', 'execution', 'id: ID!', 'Execution'],
    ['Mutation', 'createWorkflow', 'input: CreateWorkflowInput!', 'Workflow!'],
    ['Mutation', 'updateWorkflow', 'id: ID!, input: UpdateWorkflowInput!', 'Workflow!'],
    ['Mutation', 'deleteWorkflow', 'id: ID!, permanent: Boolean', 'Boolean!'],
    ['Mutation', 'executeWorkflow', 'id: ID!, input: ExecuteWorkflowInput', 'Execution!'],
    ['Subscription', 'workflowExecution', 'workflowId: ID!', 'ExecutionUpdate!'],
    ['Subscription', 'systemHealth', '', 'HealthUpdate!'],
  ];
  test.each(fixed)('%s.%s(%s): %s', (root, name, args, type) => {
    const parent = schema.getType(root);
    const field = isObjectType(parent) ? parent.getFields()[name] : undefined;
    expect(field?.args.map((arg) => `${arg.name}: ${String(arg.type)}`).join(', ')).toBe(args);
    expect(String(field?.type)).toBe(type);
  });

  const fields: [string, string[]][] = [
    [
      'Workflow',
      [
        'id',
        'name',
        'description',
        'status',
        'createdAt',
        'updatedAt',
        'nodeCount',
        'executionCount',
        'definition',
        'executions',
      ],
    ],
    ['Definition', ['nodes', 'connections']],
    ['NodeEntry', ['id', 'type', 'position', 'config']],
    ['Position', ['x', 'y']],
    ['Connection', ['from', 'to', 'sourcePort', 'targetPort']],
    ['Node', ['id', 'name', 'description', 'category', 'version', 'inputs', 'outputs']],
    ['Execution', ['id', 'status', 'startTime', 'endTime', 'duration']],
    ['ExecutionUpdate', ['executionId', 'workflowId', 'status', 'progress', 'currentNode', 'timestamp']],
    [
      'HealthUpdate',
      ['status', 'uptime', 'activeExecutions', 'queuedExecutions', 'eventLoopLag', 'memoryUsed', 'timestamp'],
    ],
    ['WorkflowFilter', ['status', 'search', 'page', 'limit']],
    ['NodeFilter', ['category', 'search', 'version']],
    ['ExecutionFilter', ['workflowId', 'status', 'from', 'to', 'page', 'limit']],
    ['CreateWorkflowInput', ['name', 'description', 'status', 'definition', 'settings', 'tags']],
    ['UpdateWorkflowInput', ['name', 'description', 'status', 'definition', 'settings', 'tags', 'version']],
    ['ExecuteWorkflowInput', ['input', 'wait', 'idempotencyKey']],
  ];
  test.each(fields)('%s has its fields', (name, wanted) => {
    const type = schema.getType(name);
    const has = isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
    expect(has).toEqual(expect.arrayContaining(wanted));
  });

  test('only the name of a new workflow is required', () => {
    const type = schema.getType('CreateWorkflowInput');
    const given = isInputObjectType(type) ? Object.values(type.getFields()) : [];
    expect(given.filter((field) => field.type instanceof GraphQLNonNull).map((field) => field.name)).toEqual([
      'name',
    ]);
    const update = schema.getType('UpdateWorkflowInput');
    const changes = isInputObjectType(update) ? Object.values(update.getFields()) : [];
    expect(changes.filter((field) => field.type instanceof GraphQLNonNull)).toEqual([]);
  });

  test('Workflow.executions accepts a limit', () => {
    const workflow = schema.getType('Workflow');
    const field = isObjectType(workflow) ? workflow.getFields()['executions'] : undefined;
    expect(field?.args.map((arg) => `${arg.name}: ${String(arg.type)}`)).toEqual(['limit: Int']);
  });

  test('the scalars', () => {
    for (const name of ['JSON', 'DateTime']) expect(isScalarType(schema.getType(name))).toBe(true);
  });
});

/** Operations that have another name in REST or do not exist in GraphQL. */
const elsewhere: Readonly<Record<string, string | null>> = {
  getFile: null, // bytes
  getDecisionAttachment: null,
  getLiveness: null, // for orchestrators, which check the status
  getReadiness: null,
  exportAuditEvents: null, // a stream of lines
  streamExecution: null, // server-sent events
  openCookieSession: null, // cookies are for pages of the service, which use REST
  refreshCookieSession: null,
  closeCookieSession: null,
  resumeExecution: null, // its token is the credential, as for webhooks
  refreshSession: 'refresh',
  getCurrentUser: 'me',
  listWorkflowExecutions: 'executionsPage', // with a workflowId
  listNodeRuns: 'execution', // its nodes
  listLogs: 'execution', // its logs
  listOAuthClients: 'oauthClients',
  listOAuthGrants: 'oauthGrants',
};

test('GraphQL has every operation of REST with the same scope', () => {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const missing: string[] = [];
  for (const { routes } of routeGroups({} as unknown as RouteServices))
    for (const { operation, scope } of routes) {
      const named = elsewhere[operation];
      if (named === null) continue;
      const plain = operation
        .replace(/^(?:get|list)/, '')
        .replace(/^[A-Z]/, (letter) => letter.toLowerCase());
      const found = byName.get(named ?? '') ?? byName.get(operation) ?? byName.get(plain);
      if (found === undefined || found.scope !== scope) missing.push(`${operation} (${scope})`);
    }
  expect(missing).toEqual([]);
});
