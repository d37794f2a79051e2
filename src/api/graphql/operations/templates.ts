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
import {
  createOutputType,
  createInputArg,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';
import type { WorkflowType } from '../sources.ts';

export function templateOperations(
  builder: OperationBuilder,
  { templates }: GraphqlServices,
  workflowType: WorkflowType,
): Operation[] {
  const template = createOutputType(builder, TemplateResource);
  const list = createOutputType(builder, TemplateListResource);
  const listArgs = createQueryArgs(builder, TemplateListQuerySchema);
  const oneArgs = createQueryArgs(builder, TemplateQuerySchema);
  const removeArgs = createQueryArgs(builder, RemoveTemplateQuerySchema);
  const create = createInputArg(builder, 'input', 'CreateTemplateInput', CreateTemplateSchema, {
    leaveOut: ['builtin', 'created_at', 'versions'],
  });
  const instantiate = createInputArg(builder, 'input', 'InstantiateTemplateInput', InstantiateSchema, {
    optional: true,
  });
  const name = { type: new GraphQLNonNull(GraphQLString), description: 'The name of the template.' };

  return [
    {
      kind: 'query',
      name: 'templates',
      scope: 'workflows:read',
      description:
        'Your templates, newest first, then the built-in templates. Each is in its newest version.',
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
      description: 'A template; null when the name or version does not exist.',
      args: { name, ...oneArgs.args },
      type: builder.objects.of(TemplateResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          templates
            .get(principal, readText(args, 'name'), oneArgs.read(args))
            .then((found) => template.show(presentTemplate(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'createTemplate',
      scope: 'workflows:write',
      description: 'Registers a version of a template. Versions are immutable.',
      args: create.args,
      type: template.type,
      resolve: async (args, principal) =>
        template.show(presentTemplate(await templates.create(principal, create.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteTemplate',
      scope: 'workflows:write',
      description: 'Deletes a template or one of its versions. Workflows created from it are kept.',
      args: { name, ...removeArgs.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await templates.remove(principal, readText(args, 'name'), removeArgs.read(args));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'instantiateTemplate',
      scope: 'workflows:write',
      description: 'Creates a workflow from a template.',
      args: { name, ...instantiate.args },
      type: new GraphQLNonNull(builder.objects.of(WorkflowResource).type),
      resolve: async (args, principal) =>
        workflowType.ofView(
          await templates.instantiate(principal, readText(args, 'name'), instantiate.read(args)),
        ),
    },
  ];
}
