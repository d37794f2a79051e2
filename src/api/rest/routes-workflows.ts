import {
  WorkflowListResource,
  WorkflowResource,
  WorkflowVersionListResource,
  WorkflowVersionResource,
} from '../../contract/resources/workflow.ts';
import {
  CreateWorkflowSchema,
  NameVersionSchema,
  UpdateWorkflowSchema,
  WorkflowQuerySchema,
} from '../../contract/requests/workflow.ts';
import { PageQuery } from '../../contract/paging.ts';
import type { Workflows } from '../../services/workflows/workflows.service.ts';
import {
  presentVersion,
  presentVersions,
  presentWorkflow,
  presentWorkflowSummary,
} from '../serializers/workflow.ts';
import type { Route } from './route.ts';

export function workflowRoutes(workflows: Workflows): Route[] {
  return [
    {
      method: 'GET',
      path: '/workflows',
      operation: 'listWorkflows',
      status: 200,
      scope: 'workflows:read',
      summary: 'List your workflows, newest first unless `sort` is set',
      response: WorkflowListResource,
      query: WorkflowQuerySchema,
      async handle({ principal, query }) {
        const { rows, pagination } = await workflows.list(principal, query);
        const activity = await workflows.activity(principal, rows);
        return { workflows: rows.map((row, i) => presentWorkflowSummary(row, activity[i]!)), pagination };
      },
    },
    {
      method: 'POST',
      path: '/workflows',
      operation: 'createWorkflow',
      status: 201,
      scope: 'workflows:write',
      summary: 'Create a workflow',
      response: WorkflowResource,
      errors: ['CONFLICT'],
      body: CreateWorkflowSchema,
      handle: async ({ principal, body }) => presentWorkflow(await workflows.create(principal, body)),
    },
    {
      method: 'GET',
      path: '/workflows/{id}',
      operation: 'getWorkflow',
      status: 200,
      scope: 'workflows:read',
      summary: 'Get a workflow',
      response: WorkflowResource,
      handle: async ({ principal, params }) => presentWorkflow(await workflows.get(principal, params['id']!)),
    },
    {
      method: 'PUT',
      path: '/workflows/{id}',
      operation: 'updateWorkflow',
      status: 200,
      scope: 'workflows:write',
      additionalScope: 'workflows:read',
      summary: 'Update a workflow. Omitted fields keep their values',
      response: WorkflowResource,
      errors: ['CONFLICT'],
      body: UpdateWorkflowSchema,
      handle: async ({ principal, params, body }) =>
        presentWorkflow(await workflows.update(principal, params['id']!, body)),
    },
    {
      method: 'POST',
      path: '/workflows/{id}/publish',
      operation: 'publishWorkflow',
      status: 200,
      scope: 'workflows:write',
      additionalScope: 'workflows:read',
      summary: 'Publish the newest version of an active workflow, so that its triggers run it',
      response: WorkflowResource,
      errors: ['CONFLICT'],
      handle: async ({ principal, params }) =>
        presentWorkflow(await workflows.publish(principal, params['id']!)),
    },
    {
      method: 'GET',
      path: '/workflows/{id}/versions',
      operation: 'listWorkflowVersions',
      status: 200,
      scope: 'workflows:read',
      summary: 'List the versions of a workflow, newest first',
      response: WorkflowVersionListResource,
      query: PageQuery,
      handle: async ({ principal, params, query }) =>
        presentVersions(await workflows.versions(principal, params['id']!, query)),
    },
    {
      method: 'GET',
      path: '/workflows/{id}/versions/{version}',
      operation: 'getWorkflowVersion',
      status: 200,
      scope: 'workflows:read',
      summary: 'Get a version of a workflow with its definition',
      response: WorkflowVersionResource,
      handle: async ({ principal, params }) =>
        presentVersion(await workflows.version(principal, params['id']!, params['version']!)),
    },
    {
      method: 'PUT',
      path: '/workflows/{id}/versions/{version}',
      operation: 'nameWorkflowVersion',
      status: 200,
      scope: 'workflows:write',
      additionalScope: 'workflows:read',
      summary: 'Name a version of a workflow, or remove its name',
      response: WorkflowVersionResource,
      body: NameVersionSchema,
      handle: async ({ principal, params, body }) =>
        presentVersion(await workflows.nameVersion(principal, params['id']!, params['version']!, body)),
    },
    {
      method: 'POST',
      path: '/workflows/{id}/versions/{version}/restore',
      operation: 'restoreWorkflowVersion',
      status: 200,
      scope: 'workflows:write',
      additionalScope: 'workflows:read',
      summary: 'Restore an old version as the newest version',
      response: WorkflowResource,
      errors: ['CONFLICT'],
      handle: async ({ principal, params }) =>
        presentWorkflow(await workflows.restore(principal, params['id']!, params['version']!)),
    },
  ];
}
