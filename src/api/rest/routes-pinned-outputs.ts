import { DeletedResource } from '../../contract/resources/resource.ts';
import { PinnedOutputResource, PinnedOutputsResource } from '../../contract/resources/workflow.ts';
import { PinOutputSchema } from '../../contract/requests/workflow.ts';
import type { PinnedOutputs } from '../../services/workflows/pinned-outputs.service.ts';
import { presentPinnedOutput } from '../serializers/workflow.ts';
import type { Route } from './route.ts';

export function pinnedOutputRoutes(pinnedOutputs: PinnedOutputs): Route[] {
  return [
    {
      method: 'GET',
      path: '/workflows/{id}/pinned-outputs',
      operation: 'listPinnedOutputs',
      status: 200,
      scope: 'workflows:read',
      summary:
        'List the pinned outputs of a workflow, which runs from the editor use instead of running the node',
      response: PinnedOutputsResource,
      handle: async ({ principal, params }) => ({
        pinned_outputs: (await pinnedOutputs.list(principal, params['id']!)).map(presentPinnedOutput),
      }),
    },
    {
      method: 'PUT',
      path: '/workflows/{id}/pinned-outputs/{node_id}',
      operation: 'putPinnedOutput',
      status: 200,
      scope: 'workflows:write',
      summary: 'Pin the output of a node, or replace its pinned output',
      response: PinnedOutputResource,
      errors: ['CONFLICT'],
      body: PinOutputSchema,
      handle: async ({ principal, params, body }) =>
        presentPinnedOutput(await pinnedOutputs.put(principal, params['id']!, params['node_id']!, body)),
    },
    {
      method: 'DELETE',
      path: '/workflows/{id}/pinned-outputs/{node_id}',
      operation: 'deletePinnedOutput',
      status: 200,
      scope: 'workflows:write',
      summary: 'Delete the pinned output of a node. The id of the response is that of the node',
      response: DeletedResource,
      async handle({ principal, params }) {
        await pinnedOutputs.remove(principal, params['id']!, params['node_id']!);
        return { id: params['node_id'], deleted: true };
      },
    },
  ];
}
