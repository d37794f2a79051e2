import {
  GraphQLObjectType,
  GraphQLSchema,
  assertValidSchema,
  lexicographicSortSchema,
  printSchema,
  type GraphQLFieldConfig,
} from 'graphql';
import { ExecutionDetailResource, NodeErrorResource } from '../../../contract/resources/execution.ts';
import { WorkflowResource } from '../../../contract/resources/workflow.ts';
import type { RequestContext } from '../request-context.ts';
import { requirePrincipal } from '../request-context.ts';
import { createExecutionType } from './execution-type.ts';
import { createInputTypes } from './input-types.ts';
import type { OperationBuilder } from '../operations/operation-builder.ts';
import { createObjectTypes, type Fields } from './object-types.ts';
import type { Args, Operation } from '../operations/operation.ts';
import { connectionOperations } from '../operations/connections.ts';
import { executionOperations } from '../operations/executions.ts';
import { nodeOperations } from '../operations/nodes.ts';
import { oauthOperations } from '../operations/oauth.ts';
import { keyOperations, sessionOperations, userOperations } from '../operations/accounts.ts';
import { mcpOperations } from '../operations/mcp.ts';
import { auditOperations } from '../operations/audit.ts';
import { decisionOperations } from '../operations/decisions.ts';
import { threadOperations } from '../operations/threads.ts';
import { vectorCollectionOperations } from '../operations/vector-collections.ts';
import { packOperations } from '../operations/packs.ts';
import { templateOperations } from '../operations/templates.ts';
import { modelUsageOperations } from '../operations/model-usage.ts';
import { statisticsOperations } from '../operations/statistics.ts';
import { workflowOperations } from '../operations/workflows.ts';
import type { GraphqlServices } from '../services.ts';
import { createSubscriptionFields } from '../subscriptions.ts';
import type { ExecutionType, WorkflowType } from '../sources.ts';
import { createWorkflowType } from './workflow-type.ts';

export type Schema = {
  readonly schema: GraphQLSchema;
  readonly operations: readonly Operation[];
  /** Root fields without a credential. */
  readonly publicFields: ReadonlySet<string>;
};

/** Default costs of root fields. */
const QUERY_COST = 1;
const MUTATION_COST = 10;

/**
 * Creates the schema from the contract's resources and the operations. Services are only called by
 * operations.
 */
export function createSchema(services: GraphqlServices): Schema {
  const extras: Record<string, Fields> = {};
  const builder: OperationBuilder = { objects: createObjectTypes(() => extras), inputs: createInputTypes() };
  // Full forms are registered first, because their fields define the types that several resources share.
  for (const resource of [WorkflowResource, ExecutionDetailResource, NodeErrorResource])
    builder.objects.of(resource);
  const execution: ExecutionType = createExecutionType(builder, () => workflow);
  const workflow: WorkflowType = createWorkflowType(builder, () => execution);
  extras['Workflow'] = workflow.fields;
  extras['Execution'] = execution.fields;

  const operations = [
    ...workflowOperations(builder, services, workflow),
    ...executionOperations(builder, services, execution),
    ...statisticsOperations(builder, services),
    ...modelUsageOperations(builder, services),
    ...nodeOperations(builder, services),
    ...decisionOperations(builder, services),
    ...threadOperations(builder, services),
    ...vectorCollectionOperations(builder, services),
    ...auditOperations(builder, services),
    ...packOperations(builder, services),
    ...mcpOperations(builder, services),
    ...connectionOperations(builder, services),
    ...templateOperations(builder, services, workflow),
    ...sessionOperations(builder, services),
    ...userOperations(builder, services),
    ...keyOperations(builder, services),
    ...oauthOperations(builder, services),
  ];
  const root = (kind: Operation['kind']): Record<string, GraphQLFieldConfig<unknown, RequestContext>> =>
    Object.fromEntries(
      operations.filter((each) => each.kind === kind).map((each) => [each.name, createField(each)]),
    );

  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: root('query') }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields: root('mutation') }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: createSubscriptionFields(builder, services),
    }),
  });
  assertValidSchema(schema);
  const isPublic = operations.filter((each) => each.scope === 'public').map((each) => each.name);
  return { schema, operations, publicFields: new Set(isPublic) };
}

function createField(operation: Operation): GraphQLFieldConfig<unknown, RequestContext> {
  const { kind, type, args = {}, scope, cost } = operation;
  const own = cost?.own ?? (kind === 'query' ? QUERY_COST : MUTATION_COST);
  return {
    type,
    args,
    description: `${operation.description} ${describeCredential(scope)}`,
    extensions: { cost: { ...cost, own } },
    async resolve(_source, args: Args, caller) {
      if (kind === 'mutation') caller.time.requireTime();
      return operation.scope === 'public'
        ? operation.resolve(args, caller)
        : operation.resolve(args, requirePrincipal(caller), caller);
    },
  };
}

function describeCredential(scope: Operation['scope']): string {
  if (scope === 'public') return 'Requires no credential.';
  if (scope === 'any') return 'Requires any credential.';
  if (scope === 'session') return 'Requires a session.';
  return `Requires the scope \`${scope}\`.`;
}

/** Prints the schema in an order that does not depend on the order of files. */
export function printSchemaSorted(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
