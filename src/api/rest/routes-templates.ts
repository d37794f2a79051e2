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
        'List your templates, newest first, then those that come with Weft; each in its newest version',
      answer: TemplateListResource,
      query: TemplateListQuerySchema,
      handle: async ({ principal, query }) => presentTemplates(await templates.list(principal, query)),
    },
    {
      method: 'POST',
      path: '/templates',
      operation: 'createTemplate',
      status: 201,
      scope: 'workflows:write',
      summary: 'Register a version of a template; it never changes',
      answer: TemplateResource,
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
      summary: 'Get one template',
      answer: TemplateResource,
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
      summary: 'Delete a template, or one version of it; workflows that came of it stay',
      answer: DeletedTemplateResource,
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
      alsoNeeds: 'workflows:read',
      summary: 'Create a workflow of a template',
      answer: WorkflowResource,
      errors: ['CONFLICT'],
      body: InstantiateSchema,
      bodyOptional: true,
      handle: async ({ principal, params, body }) =>
        presentWorkflow(await templates.instantiate(principal, params['name']!, body)),
    },
  ];
}
