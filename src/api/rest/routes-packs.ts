import {
  InstallPackSchema,
  ListPackChoicesSchema,
  PackListQuerySchema,
  PackOperationListQuerySchema,
  PackQuerySchema,
  PackUseQuerySchema,
  PutPackAppSchema,
  RemovePackQuerySchema,
} from '../../contract/requests/pack.ts';
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
} from '../../contract/resources/pack.ts';
import { DeletedByNameResource } from '../../contract/resources/resource.ts';
import { limits } from '../../ports/limits.ts';
import type { PackApps } from '../../services/pack-webhooks/pack-apps.service.ts';
import type { PackChoiceLists } from '../../services/packs/pack-choices.service.ts';
import type { Packs } from '../../services/packs/packs.service.ts';
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
} from '../serializers/pack.ts';
import { createClientSignal } from './client-signal.ts';
import type { Route } from './route.ts';

export function packRoutes(packs: Packs, choices: PackChoiceLists, apps: PackApps): Route[] {
  return [
    {
      method: 'GET',
      path: '/packs',
      operation: 'listPacks',
      status: 200,
      scope: 'nodes:read',
      summary: 'List the installed packs by name, each in its newest version',
      response: PackListResource,
      query: PackListQuerySchema,
      handle: async ({ principal, query }) => presentPacks(await packs.list(principal, query)),
    },
    {
      method: 'POST',
      path: '/packs',
      operation: 'installPack',
      status: 201,
      scope: 'admin',
      summary: 'Install a version of a pack for all users, or show what would be installed',
      response: PackInstallationResource,
      otherResponses: [
        {
          status: 200,
          response: PackInstallationResource,
          description: 'Nothing was installed: the version has the same document, or it is a dry run.',
        },
      ],
      errors: ['CONFLICT'],
      body: InstallPackSchema,
      bodyLimit: limits.packBodyBytes,
      async handle({ principal, body, setStatus }) {
        const installation = await packs.install(principal, body);
        if (installation.isDryRun || installation.outcome !== 'installed') setStatus(200);
        return presentPackInstallation(installation);
      },
    },
    {
      method: 'GET',
      path: '/packs/{name}',
      operation: 'getPack',
      status: 200,
      scope: 'nodes:read',
      summary: 'Get a pack, with what its document states about the API',
      response: PackDetailResource,
      query: PackQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentPackDetail(await packs.get(principal, params['name']!, query)),
    },
    {
      method: 'DELETE',
      path: '/packs/{name}',
      operation: 'deletePack',
      status: 200,
      scope: 'admin',
      summary: 'Remove a pack or one of its versions. Fails while a saved workflow uses it',
      response: DeletedByNameResource,
      errors: ['CONFLICT'],
      query: RemovePackQuerySchema,
      async handle({ principal, params: { name = '' }, query }) {
        await packs.remove(principal, name, query);
        return { name, deleted: true };
      },
    },
    {
      method: 'GET',
      path: '/packs/{name}/operations',
      operation: 'listPackOperations',
      status: 200,
      scope: 'nodes:read',
      summary: 'List the operations of a pack, in the order of its document',
      response: PackOperationListResource,
      query: PackOperationListQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentPackOperations(await packs.operations(principal, params['name']!, query)),
    },
    {
      method: 'GET',
      path: '/packs/{name}/operation-names',
      operation: 'listPackOperationNames',
      status: 200,
      scope: 'nodes:read',
      summary: 'List all operations of a pack at once, without descriptions',
      response: PackOperationNamesResource,
      query: PackQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentPackOperationNames(await packs.operationNames(principal, params['name']!, query)),
    },
    {
      method: 'GET',
      path: '/packs/{name}/workflows',
      operation: 'listPackWorkflows',
      status: 200,
      scope: 'admin',
      summary: 'List the workflows of all users that use a pack',
      response: PackWorkflowListResource,
      query: PackUseQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentPackWorkflows(await packs.workflows(principal, params['name']!, query)),
    },
    {
      method: 'GET',
      path: '/packs/{name}/operations/{id}',
      operation: 'getPackOperation',
      status: 200,
      scope: 'nodes:read',
      summary: 'Get an operation of a pack, with the form of its configuration',
      response: PackOperationDetailResource,
      query: PackQuerySchema,
      handle: async ({ principal, params, query }) =>
        presentPackOperationDetail(await packs.operation(principal, params['name']!, params['id']!, query)),
    },
    {
      method: 'GET',
      path: '/packs/{name}/app',
      operation: 'getPackApp',
      status: 200,
      scope: 'admin',
      summary:
        'Get the address to which a service sends the events of all accounts. The secret is not returned',
      response: PackAppResource,
      errors: ['CONFLICT'],
      handle: async ({ principal, params }) => presentPackApp(await apps.get(principal, params['name']!)),
    },
    {
      method: 'PUT',
      path: '/packs/{name}/app',
      operation: 'putPackApp',
      status: 200,
      scope: 'admin',
      summary: 'Enter the signing secret of the app of a pack, encrypted. The address stays the same',
      response: PackAppResource,
      errors: ['CONFLICT'],
      body: PutPackAppSchema,
      handle: async ({ principal, params, body }) =>
        presentPackApp(await apps.put(principal, params['name']!, body)),
    },
    {
      method: 'DELETE',
      path: '/packs/{name}/app',
      operation: 'deletePackApp',
      status: 200,
      scope: 'admin',
      summary: 'Delete the app of a pack. Fails while active triggers receive its events',
      response: DeletedByNameResource,
      errors: ['CONFLICT'],
      async handle({ principal, params: { name = '' } }) {
        await apps.remove(principal, name);
        return { name, deleted: true };
      },
    },
    {
      method: 'POST',
      path: '/packs/{name}/choices',
      operation: 'listPackChoices',
      status: 200,
      scope: 'workflows:write',
      summary:
        'Load the choices of a field, or its fields, from the service of a pack. A secret or a connection also needs secrets:use',
      response: PackChoicesResource,
      body: ListPackChoicesSchema,
      async handle({ principal, params, body, request }) {
        const client = createClientSignal(request);
        try {
          return presentPackChoices(await choices.list(principal, params['name']!, body, client.signal));
        } finally {
          client.release();
        }
      },
    },
  ];
}
