import { GraphQLBoolean, GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import { PaginationResource } from '../../../contract/resources/resource.ts';
import {
  DeletedWorkflowListResource,
  PinnedOutputResource,
  PinnedOutputsResource,
  WorkflowListResource,
  WorkflowResource,
  WorkflowVersionListResource,
  WorkflowVersionResource,
} from '../../../contract/resources/workflow.ts';
import {
  ClosedListenersResource,
  ListenResource,
  ListenSchema,
  StopListeningQuery,
} from '../../../contract/requests/listen.ts';
import {
  CreateWorkflowSchema,
  DeleteWorkflowQuery,
  NameVersionSchema,
  PinOutputSchema,
  UpdateWorkflowSchema,
  WorkflowQuerySchema,
} from '../../../contract/requests/workflow.ts';
import { presentListener } from '../../serializers/listener.ts';
import {
  presentDeletedWorkflows,
  presentPinnedOutput,
  presentVersion,
  presentVersions,
} from '../../serializers/workflow.ts';
import {
  createOutputType,
  createIdArg,
  createInputArg,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';
import type { WorkflowType } from '../sources.ts';

export function workflowOperations(
  builder: OperationBuilder,
  { workflows, deletedWorkflows, listen, pinnedOutputs }: GraphqlServices,
  type: WorkflowType,
): Operation[] {
  const workflow = builder.objects.of(WorkflowResource).type;
  const pagination = builder.objects.of(PaginationResource);
  const version = createOutputType(builder, WorkflowVersionResource);
  const versions = createOutputType(builder, WorkflowVersionListResource);
  const named = createInputArg(builder, 'input', 'NameWorkflowVersionInput', NameVersionSchema);
  const listener = createOutputType(builder, ListenResource);
  const filter = createInputArg(builder, 'filter', 'WorkflowFilter', WorkflowQuerySchema);
  const create = createInputArg(builder, 'input', 'CreateWorkflowInput', CreateWorkflowSchema, {
    required: ['name'],
  });
  const update = createInputArg(builder, 'input', 'UpdateWorkflowInput', UpdateWorkflowSchema);
  const closed = createOutputType(builder, ClosedListenersResource);
  const stop = createQueryArgs(builder, StopListeningQuery);
  const listenInput = createInputArg(builder, 'input', 'ListenInput', ListenSchema, { optional: true });
  const pin = createInputArg(builder, 'input', 'PinOutputInput', PinOutputSchema);
  const pinned = createOutputType(builder, PinnedOutputResource);
  const pinnedList = createOutputType(builder, PinnedOutputsResource);
  const deletedList = createOutputType(builder, DeletedWorkflowListResource);
  const page = createQueryArgs(builder, PageQuery);
  const deletion = createQueryArgs(builder, DeleteWorkflowQuery);
  const id = createIdArg('The id of the workflow.');
  const nodeId = createIdArg('The id of the node.');
  const number = { type: new GraphQLNonNull(GraphQLInt), description: 'The number of the version.' };
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
      description: 'Your workflows with the total count.',
      args: filter.args,
      type: createOutputType(builder, WorkflowListResource).type,
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
      description: 'A workflow; null when the id does not exist or belongs to another user.',
      args: { id },
      type: workflow,
      async resolve(args, _principal, { loaders }) {
        const row = await loaders.workflow(readText(args, 'id'));
        return row === null ? null : type.ofRow(row);
      },
    },
    {
      kind: 'query',
      name: 'deletedWorkflows',
      scope: 'workflows:read',
      description: 'The deleted workflows that can be restored, last deleted first.',
      args: page.args,
      type: deletedList.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        deletedList.show(presentDeletedWorkflows(await deletedWorkflows.list(principal, page.read(args)))),
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
          presentVersions(await workflows.versions(principal, readText(args, 'id'), page.read(args))),
        ),
    },
    {
      kind: 'query',
      name: 'workflowVersion',
      scope: 'workflows:read',
      description: 'A version of a workflow with its definition; null when it does not exist.',
      args: { id, version: number },
      type: builder.objects.of(WorkflowVersionResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          workflows
            .version(principal, readText(args, 'id'), String(args['version']))
            .then((found) => version.show(presentVersion(found))),
        ),
    },
    {
      kind: 'query',
      name: 'pinnedOutputs',
      scope: 'workflows:read',
      description: 'The outputs that runs from the editor use instead of running the node.',
      args: { id },
      type: pinnedList.type,
      resolve: async (args, principal) =>
        pinnedList.show({
          pinned_outputs: (await pinnedOutputs.list(principal, readText(args, 'id'))).map(
            presentPinnedOutput,
          ),
        }),
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
      description: 'Updates a workflow. Omitted fields keep their values.',
      args: { id, ...update.args },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) =>
        type.ofView(await workflows.update(principal, readText(args, 'id'), update.read(args))),
    },
    {
      kind: 'mutation',
      name: 'deleteWorkflow',
      scope: 'workflows:write',
      description:
        'Deletes a workflow with its history. Its running executions are stopped. The workflow without its history can be restored for 30 days.',
      args: { id, ...deletion.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await deletedWorkflows.remove(principal, readText(args, 'id'), deletion.read(args));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'undeleteWorkflow',
      scope: 'workflows:write',
      description:
        'Restores a deleted workflow with its versions, settings, tags and pinned outputs. It is inactive, or a draft if it was one; its executions are not restored.',
      args: { id },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) =>
        type.ofView(await deletedWorkflows.undelete(principal, readText(args, 'id'))),
    },
    {
      kind: 'mutation',
      name: 'publishWorkflow',
      scope: 'workflows:write',
      description: 'Publishes the newest version of an active workflow, so that its triggers run it.',
      args: { id },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) =>
        type.ofView(await workflows.publish(principal, readText(args, 'id'))),
    },
    {
      kind: 'mutation',
      name: 'nameWorkflowVersion',
      scope: 'workflows:write',
      description: 'Names a version of a workflow, or removes its name.',
      args: { id, version: number, ...named.args },
      type: version.type,
      resolve: async (args, principal) =>
        version.show(
          presentVersion(
            await workflows.nameVersion(
              principal,
              readText(args, 'id'),
              String(args['version']),
              named.read(args),
            ),
          ),
        ),
    },
    {
      kind: 'mutation',
      name: 'restoreWorkflowVersion',
      scope: 'workflows:write',
      description: 'Restores an old version as the newest version.',
      args: { id, version: number },
      type: new GraphQLNonNull(workflow),
      resolve: async (args, principal) =>
        type.ofView(await workflows.restore(principal, readText(args, 'id'), String(args['version']))),
    },
    {
      kind: 'mutation',
      name: 'listenToWebhook',
      scope: 'executions:write',
      description: 'Opens a test URL for a webhook trigger. It accepts one request within two minutes.',
      args: { id, ...listenInput.args },
      type: listener.type,
      resolve: async (args, principal) =>
        listener.show(
          presentListener(await listen.open(principal, readText(args, 'id'), listenInput.read(args))),
        ),
    },
    {
      kind: 'mutation',
      name: 'stopListeningToWebhook',
      scope: 'executions:write',
      description:
        'Closes the test URLs of a workflow or of one of its webhook triggers. Later requests get 404.',
      args: { id, ...stop.args },
      type: closed.type,
      resolve: async (args, principal) =>
        closed.show({ closed: await listen.close(principal, readText(args, 'id'), stop.read(args)) }),
    },
    {
      kind: 'mutation',
      name: 'putPinnedOutput',
      scope: 'workflows:write',
      description: 'Pins the output of a node, or replaces its pinned output.',
      args: { id, nodeId, ...pin.args },
      type: pinned.type,
      resolve: async (args, principal) =>
        pinned.show(
          presentPinnedOutput(
            await pinnedOutputs.put(
              principal,
              readText(args, 'id'),
              readText(args, 'nodeId'),
              pin.read(args),
            ),
          ),
        ),
    },
    {
      kind: 'mutation',
      name: 'deletePinnedOutput',
      scope: 'workflows:write',
      description: 'Deletes the pinned output of a node.',
      args: { id, nodeId },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await pinnedOutputs.remove(principal, readText(args, 'id'), readText(args, 'nodeId'));
        return true;
      },
    },
  ];
}
