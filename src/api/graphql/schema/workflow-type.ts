import { GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql';
import {
  DefinitionResource,
  IssueResource,
  TriggerResource,
  LastExecutionResource,
  WorkflowResource,
} from '../../../contract/resources/workflow.ts';
import { createNotFoundError } from '../../../contract/errors.ts';
import type { WorkflowActivity } from '../../../services/workflows/workflow-activity.ts';
import type { WorkflowView } from '../../../services/workflows/workflow-reads.ts';
import { presentWorkflow } from '../../serializers/workflow.ts';
import type { RequestContext } from '../request-context.ts';
import { withCost } from '../limits/cost-rule.ts';
import type { ExecutionType, WorkflowSource, WorkflowType } from '../sources.ts';
import type { OperationBuilder } from '../operations/operation-builder.ts';
import type { Field, Fields } from './object-types.ts';
import { DateTimeScalar } from './scalars.ts';

/** Number of executions without a limit argument. */
const DEFAULT_LIMIT = 10;

export function createWorkflowType(builder: OperationBuilder, executions: () => ExecutionType): WorkflowType {
  const workflow = builder.objects.of(WorkflowResource);
  const show = (view: WorkflowView): object => workflow.show(presentWorkflow(view) as never) as object;
  const definition = builder.objects.of(DefinitionResource);
  const lastExecution = builder.objects.of(LastExecutionResource);
  const issue = builder.objects.of(IssueResource);
  const trigger = builder.objects.of(TriggerResource);
  const many = ({ type }: typeof issue) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

  async function loadView({ row, view }: WorkflowSource, { loaders }: RequestContext): Promise<ShownView> {
    const loaded = view ?? (await loaders.view(row));
    if (loaded === null) throw createNotFoundError('workflow');
    return show({ activity: noActivity, ...loaded }) as ShownView;
  }

  async function loadActivity({ row, view }: WorkflowSource, { loaders }: RequestContext) {
    const activity = view?.activity ?? (await loaders.activity(row));
    return show({ row, ...nothingLoaded, activity }) as ShownActivity;
  }

  const fields: Fields = {
    definition: {
      type: new GraphQLNonNull(definition.type),
      description: definition.type.description,
      ...withCost({ own: 1 }),
      async resolve(source: WorkflowSource, _args: unknown, { loaders }: RequestContext) {
        const found = source.view?.definition ?? (await loaders.definition(source.row));
        if (found === null) throw createNotFoundError('workflow');
        return found;
      },
    } as Field,
    issues: {
      type: many(issue),
      description: 'Content errors. A draft may be saved with them.',
      ...withCost({ own: 2 }),
      resolve: async (source: WorkflowSource, _args: unknown, caller: RequestContext) =>
        (await loadView(source, caller)).issues,
    } as Field,
    triggers: {
      type: many(trigger),
      description: 'The triggers of the published version.',
      ...withCost({ own: 2 }),
      resolve: async (source: WorkflowSource, _args: unknown, caller: RequestContext) =>
        (await loadView(source, caller)).triggers,
    } as Field,
    lastExecution: {
      type: lastExecution.type,
      description: lastExecution.type.description,
      ...withCost({ own: 1 }),
      resolve: async (source: WorkflowSource, _args: unknown, caller: RequestContext) =>
        (await loadActivity(source, caller)).lastExecution,
    } as Field,
    nextDueAt: {
      type: DateTimeScalar,
      description: 'The earliest next run of its schedules and polls.',
      ...withCost({ own: 1 }),
      resolve: async (source: WorkflowSource, _args: unknown, caller: RequestContext) =>
        (await loadActivity(source, caller)).nextDueAt,
    } as Field,
    executions: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(executions().type))),
      description: 'The newest executions, newest first.',
      args: { limit: { type: GraphQLInt, description: `1 to 100; default ${DEFAULT_LIMIT}.` } },
      ...withCost({ limit: ['limit'] }),
      resolve: async (
        { row }: WorkflowSource,
        { limit }: { limit?: number | null },
        { loaders }: RequestContext,
      ) => (await loaders.newest(row.id, limit ?? DEFAULT_LIMIT)).map(executions().ofRow),
    } as Field,
  };

  return {
    fields,
    ofRow: (row) => ({ ...show({ row, ...nothingLoaded }), row, view: null }),
    ofView: (view) => ({ ...show(view), row: view.row, view }),
  };
}

type ShownActivity = { readonly lastExecution: unknown; readonly nextDueAt: unknown };
type ShownView = { readonly issues: unknown; readonly triggers: unknown };

/** Placeholder for fields that the resolvers load. */
const noActivity: WorkflowActivity = { lastExecution: null, nextDueAt: null };
const nothingLoaded = {
  definition: { nodes: [], connections: [] },
  issues: [],
  triggers: [],
  activity: noActivity,
};
