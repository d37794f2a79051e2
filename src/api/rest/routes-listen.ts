import {
  ClosedListenersResource,
  ListenResource,
  ListenSchema,
  StopListeningQuery,
} from '../../contract/requests/listen.ts';
import type { Listener } from '../../services/webhooks/listen.service.ts';
import type { Principal } from '../../contract/principal.ts';
import { presentListener } from '../serializers/listener.ts';
import type { Route } from './route.ts';

/** The part of the listen service that these routes use. */
export type ListenOpener = {
  open(principal: Principal, workflowId: string, input: unknown): Promise<Listener>;
  close(principal: Principal, workflowId: string, input: unknown): Promise<number>;
};

export function listenRoutes(listen: ListenOpener): Route[] {
  return [
    {
      method: 'POST',
      path: '/workflows/{id}/listen',
      operation: 'listenToWebhook',
      status: 201,
      scope: 'executions:write',
      summary: 'Open a test URL for a webhook trigger. It accepts one request within two minutes',
      response: ListenResource,
      errors: ['CONFLICT', 'RATE_LIMITED'],
      body: ListenSchema,
      bodyOptional: true,
      handle: async ({ principal, params, body }) =>
        presentListener(await listen.open(principal, params['id']!, body)),
    },
    {
      method: 'DELETE',
      path: '/workflows/{id}/listen',
      operation: 'stopListeningToWebhook',
      status: 200,
      scope: 'executions:write',
      summary: 'Close the test URLs of a workflow or of one of its webhook triggers. Later requests get 404',
      response: ClosedListenersResource,
      errors: ['RATE_LIMITED'],
      query: StopListeningQuery,
      handle: async ({ principal, params, query }) => ({
        closed: await listen.close(principal, params['id']!, query),
      }),
    },
  ];
}
