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
import { principalOf } from '../request-context.ts';
import { executionType } from './execution-type.ts';
import { createInputTypes } from './input-types.ts';
import type { OperationBuilder } from '../operations/operation-builder.ts';
import { createObjectTypes, type Fields } from './object-types.ts';
import type { Args, Operation } from '../operations/operation.ts';
import { connectionOperations } from '../operations/connections.ts';
import { executionOperations } from '../operations/executions.ts';
import { nodeOperations } from '../operations/nodes.ts';
import { oauthOperations } from '../operations/oauth.ts';
import { keyOperations, sessionOperations, userOperations } from '../operations/accounts.ts';
import { templateOperations } from '../operations/templates.ts';
import { workflowOperations } from '../operations/workflows.ts';
import type { GraphqlServices } from '../services.ts';
import { subscriptionFields } from '../subscriptions.ts';
import type { ExecutionType, WorkflowType } from '../sources.ts';
import { workflowType } from './workflow-type.ts';

export type Schema = {
  readonly schema: GraphQLSchema;
  readonly operations: readonly Operation[];
  /** Root fields that need no credential. */
  readonly publicFields: ReadonlySet<string>;
};

/** Costs of root fields that say nothing else. */
const QUERY_COST = 1;
const MUTATION_COST = 10;

/** The whole schema, from the contract's resources and the tables of operations. Asks no service before the first operation. */
export function createSchema(services: GraphqlServices): Schema {
  const extras: Record<string, Fields> = {};
  const kit: OperationBuilder = { objects: createObjectTypes(() => extras), inputs: createInputTypes() };
  // The full forms first: theirs are the fields of the types that several resources share.
  for (const resource of [WorkflowResource, ExecutionDetailResource, NodeErrorResource])
    kit.objects.of(resource);
  const execution: ExecutionType = executionType(kit, () => workflow);
  const workflow: WorkflowType = workflowType(kit, () => execution);
  extras['Workflow'] = workflow.fields;
  extras['Execution'] = execution.fields;

  const operations = [
    ...workflowOperations(kit, services, workflow),
    ...executionOperations(kit, services, execution),
    ...nodeOperations(kit, services),
    ...connectionOperations(kit, services),
    ...templateOperations(kit, services, workflow),
    ...sessionOperations(kit, services),
    ...userOperations(kit, services),
    ...keyOperations(kit, services),
    ...oauthOperations(kit, services),
  ];
  const root = (kind: Operation['kind']): Record<string, GraphQLFieldConfig<unknown, RequestContext>> =>
    Object.fromEntries(
      operations.filter((each) => each.kind === kind).map((each) => [each.name, fieldOf(each)]),
    );

  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: root('query') }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields: root('mutation') }),
    subscription: new GraphQLObjectType({ name: 'Subscription', fields: subscriptionFields(kit, services) }),
  });
  assertValidSchema(schema);
  const isPublic = operations.filter((each) => each.scope === 'public').map((each) => each.name);
  return { schema, operations, publicFields: new Set(isPublic) };
}

function fieldOf(operation: Operation): GraphQLFieldConfig<unknown, RequestContext> {
  const { kind, type, args = {}, scope, cost } = operation;
  const own = cost?.own ?? (kind === 'query' ? QUERY_COST : MUTATION_COST);
  return {
    type,
    args,
    description: `${operation.description} ${needs(scope)}`,
    extensions: { cost: { ...cost, own } },
    async resolve(_source, args: Args, caller) {
      if (kind === 'mutation') caller.time.requireTime();
      return operation.scope === 'public'
        ? operation.resolve(args, caller)
        : operation.resolve(args, principalOf(caller), caller);
    },
  };
}

function needs(scope: Operation['scope']): string {
  if (scope === 'public') return 'Needs no credential.';
  if (scope === 'any') return 'Needs any credential.';
  if (scope === 'session') return 'Needs a session.';
  return `Needs the scope \`${scope}\`.`;
}

/** The schema as text, in an order that does not change when a file is moved. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
