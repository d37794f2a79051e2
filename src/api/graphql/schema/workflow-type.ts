import { GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql';
import {
  DefinitionResource,
  IssueResource,
  TriggerResource,
  WorkflowResource,
} from '../../../contract/resources/workflow.ts';
import { notFound } from '../../../contract/errors.ts';
import type { WorkflowView } from '../../../services/workflows/workflow-reads.ts';
import { presentWorkflow } from '../../serializers/workflow.ts';
import type { RequestContext } from '../request-context.ts';
import { costOf } from '../limits/cost-rule.ts';
import type { ExecutionType, WorkflowSource, WorkflowType } from '../sources.ts';
import type { OperationBuilder } from '../operations/operation-builder.ts';
import type { Field, Fields } from './object-types.ts';

/** Executions that `executions` gives without a limit. */
const DEFAULT_LIMIT = 10;

export function workflowType(kit: OperationBuilder, executions: () => ExecutionType): WorkflowType {
  const workflow = kit.objects.of(WorkflowResource);
  const show = (view: WorkflowView): object => workflow.show(presentWorkflow(view) as never) as object;
  const definition = kit.objects.of(DefinitionResource);
  const issue = kit.objects.of(IssueResource);
  const trigger = kit.objects.of(TriggerResource);
  const many = ({ type }: typeof issue) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

  async function shownView({ row, view }: WorkflowSource, { loaders }: RequestContext): Promise<ShownView> {
    const loaded = view ?? (await loaders.view(row));
    if (loaded === null) throw notFound('workflow');
    return show(loaded) as ShownView;
  }

  const fields: Fields = {
    definition: {
      type: new GraphQLNonNull(definition.type),
      description: definition.type.description,
      ...costOf({ own: 1 }),
      async resolve(source: WorkflowSource, _args: unknown, { loaders }: RequestContext) {
        const found = source.view?.definition ?? (await loaders.definition(source.row));
        if (found === null) throw notFound('workflow');
        return found;
      },
    } as Field,
    issues: {
      type: many(issue),
      description: 'Faults of content, with which a draft may be saved.',
      ...costOf({ own: 2 }),
      resolve: async (source: WorkflowSource, _args: unknown, caller: RequestContext) =>
        (await shownView(source, caller)).issues,
    } as Field,
    triggers: {
      type: many(trigger),
      description: 'What starts the workflow, in the version that is live.',
      ...costOf({ own: 2 }),
      resolve: async (source: WorkflowSource, _args: unknown, caller: RequestContext) =>
        (await shownView(source, caller)).triggers,
    } as Field,
    executions: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(executions().type))),
      description: 'The newest executions, newest first.',
      args: { limit: { type: GraphQLInt, description: `1 to 100; default ${DEFAULT_LIMIT}.` } },
      ...costOf({ limit: ['limit'] }),
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

type ShownView = { readonly issues: unknown; readonly triggers: unknown };

/** Stands in for what the resolvers load. */
const nothingLoaded = { definition: { nodes: [], connections: [] }, issues: [], triggers: [] };
