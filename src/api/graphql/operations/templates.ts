import { GraphQLBoolean, GraphQLNonNull, GraphQLString } from 'graphql';
import { WorkflowResource } from '../../../contract/resources/workflow.ts';
import {
  CreateTemplateSchema,
  InstantiateSchema,
  RemoveTemplateQuerySchema,
  TemplateListQuerySchema,
  TemplateListResource,
  TemplateQuerySchema,
  TemplateResource,
} from '../../../contract/requests/template.ts';
import { presentTemplate, presentTemplates } from '../../serializers/template.ts';
import { answer, inputArg, queryArgs, type OperationBuilder } from './operation-builder.ts';
import { orNull, text, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';
import type { WorkflowType } from '../sources.ts';

export function templateOperations(
  kit: OperationBuilder,
  { templates }: GraphqlServices,
  workflowType: WorkflowType,
): Operation[] {
  const template = answer(kit, TemplateResource);
  const list = answer(kit, TemplateListResource);
  const listArgs = queryArgs(kit, TemplateListQuerySchema);
  const oneArgs = queryArgs(kit, TemplateQuerySchema);
  const removeArgs = queryArgs(kit, RemoveTemplateQuerySchema);
  const create = inputArg(kit, 'input', 'CreateTemplateInput', CreateTemplateSchema, {
    leaveOut: ['builtin', 'created_at', 'versions'],
  });
  const instantiate = inputArg(kit, 'input', 'InstantiateTemplateInput', InstantiateSchema, {
    optional: true,
  });
  const name = { type: new GraphQLNonNull(GraphQLString), description: 'Of the template.' };

  return [
    {
      kind: 'query',
      name: 'templates',
      scope: 'workflows:read',
      description:
        'Your templates, newest first, then those that come with Weft; each in its newest version.',
      args: listArgs.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentTemplates(await templates.list(principal, listArgs.read(args)))),
    },
    {
      kind: 'query',
      name: 'template',
      scope: 'workflows:read',
      description: 'One template; null when there is none of this name or version.',
      args: { name, ...oneArgs.args },
      type: kit.objects.of(TemplateResource).type,
      resolve: (args, principal) =>
        orNull(
          templates
            .get(principal, text(args, 'name'), oneArgs.read(args))
            .then((found) => template.show(presentTemplate(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'createTemplate',
      scope: 'workflows:write',
      description: 'Registers a version of a template; it never changes.',
      args: create.args,
      type: template.type,
      resolve: async (args, principal) =>
        template.show(presentTemplate(await templates.create(principal, create.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteTemplate',
      scope: 'workflows:write',
      description: 'Deletes a template, or one version of it; workflows that came of it stay.',
      args: { name, ...removeArgs.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await templates.remove(principal, text(args, 'name'), removeArgs.read(args));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'instantiateTemplate',
      scope: 'workflows:write',
      description: 'Creates a workflow of a template.',
      args: { name, ...instantiate.args },
      type: new GraphQLNonNull(kit.objects.of(WorkflowResource).type),
      resolve: async (args, principal) =>
        workflowType.ofView(
          await templates.instantiate(principal, text(args, 'name'), instantiate.read(args)),
        ),
    },
  ];
}
