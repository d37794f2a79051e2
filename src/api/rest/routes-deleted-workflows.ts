import { PageQuery } from '../../contract/paging.ts';
import { DeleteWorkflowQuery } from '../../contract/requests/workflow.ts';
import { DeletedResource } from '../../contract/resources/resource.ts';
import { DeletedWorkflowListResource, WorkflowResource } from '../../contract/resources/workflow.ts';
import type { DeletedWorkflows } from '../../services/workflows/deleted-workflows.service.ts';
import { presentDeletedWorkflows, presentWorkflow } from '../serializers/workflow.ts';
import type { Route } from './route.ts';

export function deletedWorkflowRoutes(deletedWorkflows: DeletedWorkflows): Route[] {
  return [
    {
      method: 'DELETE',
      path: '/workflows/{id}',
      operation: 'deleteWorkflow',
      status: 200,
      scope: 'workflows:write',
      summary:
        'Delete a workflow with its history. Its running executions are stopped. The workflow without its history can be restored for 30 days',
      response: DeletedResource,
      query: DeleteWorkflowQuery,
      async handle({ principal, params, query }) {
        await deletedWorkflows.remove(principal, params['id']!, query);
        return { id: params['id'], deleted: true };
      },
    },
    {
      method: 'GET',
      path: '/workflows/deleted',
      operation: 'listDeletedWorkflows',
      status: 200,
      scope: 'workflows:read',
      summary: 'List the deleted workflows that can be restored, last deleted first',
      response: DeletedWorkflowListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentDeletedWorkflows(await deletedWorkflows.list(principal, query)),
    },
    {
      method: 'POST',
      path: '/workflows/{id}/undelete',
      operation: 'undeleteWorkflow',
      status: 200,
      scope: 'workflows:write',
      additionalScope: 'workflows:read',
      summary:
        'Restore a deleted workflow with its versions, settings, tags and pinned outputs. It is inactive, or a draft if it was one; its executions are not restored',
      response: WorkflowResource,
      handle: async ({ principal, params }) =>
        presentWorkflow(await deletedWorkflows.undelete(principal, params['id']!)),
    },
  ];
}
