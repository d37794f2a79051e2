import { WorkflowResource } from '../../contract/resources/workflow.ts';
import {
  CreateTemplateSchema,
  DeletedTemplateResource,
  InstantiateSchema,
  RemoveTemplateQuerySchema,
  TemplateListQuerySchema,
  TemplateListResource,
  TemplateQuerySchema,
  TemplateResource,
} from '../../contract/requests/template.ts';
import type { Templates } from '../../services/workflows/templates.service.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import { presentTemplate, presentTemplates } from '../serializers/template.ts';
import { presentWorkflow } from '../serializers/workflow.ts';
import type { Route } from './route.ts';

export function templateRoutes(templates: Templates<WorkflowView>): Route[] {
  return [
    {
      method: 'GET',
      path: '/templates',
      operation: 'listTemplates',
      status: 200,
      scope: 'workflows:read',
      summary:
        'List your templates, newest first, then the built-in templates. Each is in its newest version',
      response: TemplateListResource,
      query: TemplateListQuerySchema,
      handle: async ({ principal, query }) => presentTemplates(await templates.list(principal, query)),
    },
    {
      method: 'POST',
      path: '/templates',
      operation: 'createTemplate',
      status: 201,
      scope: 'workflows:write',
      summary: 'Register a version of a template. Versions are immutable',
      response: TemplateResource,
      errors: ['CONFLICT'],
      body: CreateTemplateSchema,
      handle: async ({ principal, body }) => presentTemplate(await templates.create(principal, body)),
    },
    {
      method: 'GET',
      path: '/templates/{name}',
      operation: 'getTemplate',
      status: 200,
      scope: 'workflows:read',
      summary: 'Get a template',
      response: TemplateResource,
      query: TemplateQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentTemplate(await templates.get(principal, params['name']!, query)),
    },
    {
      method: 'DELETE',
      path: '/templates/{name}',
      operation: 'deleteTemplate',
      status: 200,
      scope: 'workflows:write',
      summary: 'Delete a template or one of its versions. Workflows created from it are kept',
      response: DeletedTemplateResource,
      errors: ['CONFLICT'],
      query: RemoveTemplateQuerySchema,
      async handle({ principal, params: { name = '' }, query }) {
        await templates.remove(principal, name, query);
        return { templateName: name, deleted: true };
      },
    },
    {
      method: 'POST',
      path: '/templates/{name}/instantiate',
      operation: 'instantiateTemplate',
      status: 201,
      scope: 'workflows:write',
      additionalScope: 'workflows:read',
      summary: 'Create a workflow from a template',
      response: WorkflowResource,
      errors: ['CONFLICT'],
      body: InstantiateSchema,
      bodyOptional: true,
      handle: async ({ principal, params, body }) =>
        presentWorkflow(await templates.instantiate(principal, params['name']!, body)),
    },
  ];
}
