import { GraphQLBoolean, GraphQLNonNull, GraphQLString } from 'graphql';
import {
  InstallPackSchema,
  ListPackChoicesSchema,
  PackListQuerySchema,
  PackOperationListQuerySchema,
  PackQuerySchema,
  PackUseQuerySchema,
  PutPackAppSchema,
  RemovePackQuerySchema,
} from '../../../contract/requests/pack.ts';
import {
  PackAppResource,
  PackChoicesResource,
  PackDetailResource,
  PackInstallationResource,
  PackListResource,
  PackOperationDetailResource,
  PackOperationListResource,
  PackOperationNamesResource,
  PackWorkflowListResource,
} from '../../../contract/resources/pack.ts';
import {
  presentPackApp,
  presentPackChoices,
  presentPackDetail,
  presentPackInstallation,
  presentPackOperationDetail,
  presentPackOperationNames,
  presentPackOperations,
  presentPacks,
  presentPackWorkflows,
} from '../../serializers/pack.ts';
import type { GraphqlServices } from '../services.ts';
import {
  createIdArg,
  createInputArg,
  createOutputType,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';

export function packOperations(
  builder: OperationBuilder,
  { packs, packChoices, packApps }: GraphqlServices,
): Operation[] {
  const list = createOutputType(builder, PackListResource);
  const pack = createOutputType(builder, PackDetailResource);
  const installation = createOutputType(builder, PackInstallationResource);
  const operations = createOutputType(builder, PackOperationListResource);
  const operation = createOutputType(builder, PackOperationDetailResource);
  const names = createOutputType(builder, PackOperationNamesResource);
  const workflows = createOutputType(builder, PackWorkflowListResource);
  const choices = createOutputType(builder, PackChoicesResource);
  const app = createOutputType(builder, PackAppResource);
  const listArgs = createQueryArgs(builder, PackListQuerySchema);
  const versionArgs = createQueryArgs(builder, PackQuerySchema);
  const useArgs = createQueryArgs(builder, PackUseQuerySchema);
  const operationArgs = createQueryArgs(builder, PackOperationListQuerySchema);
  const removeArgs = createQueryArgs(builder, RemovePackQuerySchema);
  const install = createInputArg(builder, 'input', 'InstallPackInput', InstallPackSchema);
  const choice = createInputArg(builder, 'input', 'ListPackChoicesInput', ListPackChoicesSchema);
  const putApp = createInputArg(builder, 'input', 'PutPackAppInput', PutPackAppSchema);
  const name = { type: new GraphQLNonNull(GraphQLString), description: 'The name of the pack.' };
  const id = createIdArg('The id of the operation.');

  return [
    {
      kind: 'query',
      name: 'packs',
      scope: 'nodes:read',
      description: 'The installed packs by name, each in its newest version.',
      args: listArgs.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentPacks(await packs.list(principal, listArgs.read(args)))),
    },
    {
      kind: 'query',
      name: 'pack',
      scope: 'nodes:read',
      description: 'A pack, with what its document states about the API; null when it is not installed.',
      args: { name, ...versionArgs.args },
      type: builder.objects.of(PackDetailResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          packs
            .get(principal, readText(args, 'name'), versionArgs.read(args))
            .then((found) => pack.show(presentPackDetail(found))),
        ),
    },
    {
      kind: 'query',
      name: 'packOperations',
      scope: 'nodes:read',
      description: 'The operations of a pack, in the order of its document.',
      args: { name, ...operationArgs.args },
      type: operations.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        operations.show(
          presentPackOperations(
            await packs.operations(principal, readText(args, 'name'), operationArgs.read(args)),
          ),
        ),
    },
    {
      kind: 'query',
      name: 'packOperationNames',
      scope: 'nodes:read',
      description: 'All operations of a pack at once, without descriptions.',
      args: { name, ...versionArgs.args },
      type: names.type,
      resolve: async (args, principal) =>
        names.show(
          presentPackOperationNames(
            await packs.operationNames(principal, readText(args, 'name'), versionArgs.read(args)),
          ),
        ),
    },
    {
      kind: 'query',
      name: 'packWorkflows',
      scope: 'admin',
      description: 'The workflows of all users that use a pack.',
      args: { name, ...useArgs.args },
      type: workflows.type,
      resolve: async (args, principal) =>
        workflows.show(
          presentPackWorkflows(await packs.workflows(principal, readText(args, 'name'), useArgs.read(args))),
        ),
    },
    {
      kind: 'query',
      name: 'packOperation',
      scope: 'nodes:read',
      description: 'An operation of a pack, with the form of its configuration; null when it does not exist.',
      args: { name, id, ...versionArgs.args },
      type: builder.objects.of(PackOperationDetailResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          packs
            .operation(principal, readText(args, 'name'), readText(args, 'id'), versionArgs.read(args))
            .then((found) => operation.show(presentPackOperationDetail(found))),
        ),
    },
    {
      kind: 'query',
      name: 'packApp',
      scope: 'admin',
      description:
        'The address to which a service sends the events of all accounts; null when the app of the pack is not set up.',
      args: { name },
      type: builder.objects.of(PackAppResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          packApps.get(principal, readText(args, 'name')).then((found) => app.show(presentPackApp(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'installPack',
      scope: 'admin',
      description: 'Installs a version of a pack for all users, or shows what would be installed.',
      args: install.args,
      type: installation.type,
      resolve: async (args, principal) =>
        installation.show(presentPackInstallation(await packs.install(principal, install.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deletePack',
      scope: 'admin',
      description: 'Removes a pack or one of its versions. Fails while a saved workflow uses it.',
      args: { name, ...removeArgs.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await packs.remove(principal, readText(args, 'name'), removeArgs.read(args));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'putPackApp',
      scope: 'admin',
      description: 'Enters the signing secret of the app of a pack, encrypted. The address stays the same.',
      args: { name, ...putApp.args },
      type: app.type,
      resolve: async (args, principal) =>
        app.show(presentPackApp(await packApps.put(principal, readText(args, 'name'), putApp.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deletePackApp',
      scope: 'admin',
      description: 'Deletes the app of a pack. Fails while active triggers receive its events.',
      args: { name },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await packApps.remove(principal, readText(args, 'name'));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'listPackChoices',
      scope: 'workflows:write',
      description:
        'Loads the choices of a field, or its fields, from the service of a pack. A secret or a connection also needs the scope secrets:use.',
      args: { name, ...choice.args },
      type: choices.type,
      resolve: async (args, principal) =>
        choices.show(
          presentPackChoices(await packChoices.list(principal, readText(args, 'name'), choice.read(args))),
        ),
    },
  ];
}
