import { ThreadListQuerySchema } from '../../contract/requests/thread.ts';
import { DeletedResource } from '../../contract/resources/resource.ts';
import { ThreadDetailResource, ThreadListResource } from '../../contract/resources/thread.ts';
import type { Threads } from '../../services/threads/threads.service.ts';
import { presentThreadDetail, presentThreads } from '../serializers/thread.ts';
import type { Route } from '../rest/route.ts';

export function threadRoutes(threads: Threads): Route[] {
  return [
    {
      method: 'GET',
      path: '/threads',
      operation: 'listThreads',
      status: 200,
      scope: 'executions:read',
      summary: 'List the threads that your executions continue, last changed first',
      response: ThreadListResource,
      query: ThreadListQuerySchema,
      handle: async ({ principal, query }) => presentThreads(await threads.list(principal, query)),
    },
    {
      method: 'GET',
      path: '/threads/{id}',
      operation: 'getThread',
      status: 200,
      scope: 'executions:read',
      summary: 'Read a thread with its newest turns',
      response: ThreadDetailResource,
      handle: async ({ principal, params }) =>
        presentThreadDetail(await threads.get(principal, params['id']!)),
    },
    {
      method: 'DELETE',
      path: '/threads/{id}',
      operation: 'deleteThread',
      status: 200,
      scope: 'executions:write',
      summary: 'Delete a thread with all of its turns. The next turn begins it anew',
      response: DeletedResource,
      async handle({ principal, params }) {
        await threads.remove(principal, params['id']!);
        return { id: params['id'], deleted: true };
      },
    },
  ];
}
