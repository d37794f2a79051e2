import { GraphQLBoolean, GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import { PaginationResource } from '../../../contract/resources/resource.ts';
import {
  WorkflowListResource,
  WorkflowResource,
  WorkflowVersionListResource,
  WorkflowVersionResource,
} from '../../../contract/resources/workflow.ts';
import { ListenResource, ListenSchema } from '../../../contract/requests/listen.ts';
import {
  CreateWorkflowSchema,
  UpdateWorkflowSchema,
  WorkflowQuerySchema,
} from '../../../contract/requests/workflow.ts';
import { presentListener } from '../../serializers/listener.ts';
import { presentVersion, presentVersions } from '../../serializers/workflow.ts';
import { answer, idArg, inputArg, queryArgs, type OperationBuilder } from './operation-builder.ts';
import { orNull, text, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';
import type { WorkflowType } from '../sources.ts';

export function workflowOperations(
  kit: OperationBuilder,
  { workflows, listen }: GraphqlServices,
  type: WorkflowType,
): Operation[] {
  const workflow = kit.objects.of(WorkflowResource).type;
  const pagination = kit.objects.of(PaginationResource);
  const version = answer(kit, WorkflowVersionResource);
  const versions = answer(kit, WorkflowVersionListResource);
  const listener = answer(kit, ListenResource);
  const filter = inputArg(kit, 'filter', 'WorkflowFilter', WorkflowQuerySchema);
  const create = inputArg(kit, 'input', 'CreateWorkflowInput', CreateWorkflowSchema, { required: ['name'] });
  const update = inputArg(kit, 'input', 'UpdateWorkflowInput', UpdateWorkflowSchema);
  const hear = inputArg(kit, 'input', 'ListenInput', ListenSchema, { optional: true });
  const page = queryArgs(kit, PageQuery);
  const id = idArg('Of the workflow.');
  const number = { type: new GraphQLNonNull(GraphQLInt), description: 'Of the version.' };
  const listCost = { limit: ['filter', 'limit'] };

  return [
    {
      kind: 'query',
      name: 'workflows',
      scope: 'workflows:read',
      description: 'Your workflows, newest first.',
      args: filter.args,
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(workflow))),
      cost: listCost,
      resolve: async (args, principal) =>
        (await workflows.list(principal, filter.read(args))).rows.map(type.ofRow),
    },
    {
      kind: 'query',
      name: 'workflowsPage',
      scope: 'workflows:read',
      description: 'The same with how many there are.',
      args: filter.args,
      type: answer(kit, WorkflowListResource).type,
      cost: listCost,
      async resolve(args, principal) {
        const found = await workflows.list(principal, filter.read(args));
        return {
          workflows: found.rows.map(type.ofRow),
          pagination: pagination.show(found.pagination as never),
        };
      },
    },
    {
      kind: 'query',
      name: 'workflow',
      scope: 'workflows:read',
      description: 'One workflow; null when there is none of this id, or it is not yours.',
      args: { id },
      type: workflow,
      async resolve(args, _principal, { loaders }) {
        const row = await loaders.workflow(text(args, 'id'));
        return row === null ? null : type.ofRow(row);
      },
    },
    {
      kind: 'query',
      name: 'workflowVersions',
      scope: 'workflows:read',
      description: 'The versions of a workflow, newest first.',
      args: { id, ...page.args },
      type: versions.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        versions.show(
          presentVersions(await workflows.versions(principal, text(args, 'id'), page.read(args))),
        ),
    },
    {
      kind: 'query',
      name: 'workflowVersion',
      scope: 'workflows:read',
      description: 'One version of a workflow with its definition; null when there is none.',
      args: { id, version: number },
      type: kit.objects.of(WorkflowVersionResource).type,
      resolve: (args, principal) =>
        orNull(
          workflows
            .version(principal, text(args, 'id'), String(args['version']))
            .then((found) => version.show(presentVersion(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'createWorkflow',
      scope: 'workflows:write',
      description: 'Creates a workflow.',
      args: create.args,
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) => type.ofView(await workflows.create(principal, create.read(args))),
    },
    {
      kind: 'mutation',
      name: 'updateWorkflow',
      scope: 'workflows:write',
      description: 'Replaces the fields that are given.',
      args: { id, ...update.args },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) =>
        type.ofView(await workflows.update(principal, text(args, 'id'), update.read(args))),
    },
    {
      kind: 'mutation',
      name: 'deleteWorkflow',
      scope: 'workflows:write',
      description: 'Deletes a workflow with its history; what runs of it is stopped.',
      args: { id },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await workflows.remove(principal, text(args, 'id'));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'publishWorkflow',
      scope: 'workflows:write',
      description: 'Makes the newest version of an active workflow the one that its triggers run.',
      args: { id },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) => type.ofView(await workflows.publish(principal, text(args, 'id'))),
    },
    {
      kind: 'mutation',
      name: 'restoreWorkflowVersion',
      scope: 'workflows:write',
      description: 'Saves an old version again as the newest one.',
      args: { id, version: number },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) =>
        type.ofView(await workflows.restore(principal, text(args, 'id'), String(args['version']))),
    },
    {
      kind: 'mutation',
      name: 'listenToWebhook',
      scope: 'executions:write',
      description: 'Opens a test address for a webhook trigger: it takes one request within two minutes.',
      args: { id, ...hear.args },
      type: listener.type,
      resolve: async (args, principal) =>
        listener.show(presentListener(await listen.open(principal, text(args, 'id'), hear.read(args)))),
    },
  ];
}
