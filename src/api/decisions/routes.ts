import { RespondToDecisionSchema, DecisionListQuerySchema } from '../../contract/requests/decision.ts';
import { DecisionListResource, DecisionResource } from '../../contract/resources/decision.ts';
import type { Decisions } from '../../services/decisions/decisions.service.ts';
import { presentDecision, presentDecisions } from '../serializers/decision.ts';
import type { Route } from '../rest/route.ts';
import { fileRoute, readRange, sendFile } from '../rest/routes-files.ts';

export function decisionRoutes(decisions: Decisions): Route[] {
  return [
    {
      method: 'GET',
      path: '/decisions',
      operation: 'listDecisions',
      status: 200,
      scope: 'executions:read',
      summary: 'List the decisions that you were asked for, or that your executions asked for, newest first',
      response: DecisionListResource,
      query: DecisionListQuerySchema,
      handle: async ({ principal, query }) => presentDecisions(await decisions.list(principal, query)),
    },
    {
      method: 'GET',
      path: '/decisions/{id}',
      operation: 'getDecision',
      status: 200,
      scope: 'executions:read',
      summary: 'Read a decision that you were asked for, or that your execution asked for',
      response: DecisionResource,
      handle: async ({ principal, params }) => presentDecision(await decisions.get(principal, params['id']!)),
    },
    {
      method: 'GET',
      path: '/decisions/{id}/attachments/{file}',
      operation: 'getDecisionAttachment',
      status: 200,
      scope: 'executions:read',
      summary: 'Download a file that is attached to a decision',
      ...fileRoute,
      handle: async ({ principal, params, headers, setHeader, setStatus }) =>
        sendFile(await decisions.attachment(principal, params['id']!, params['file']!, readRange(headers)), {
          setHeader,
          setStatus,
        }),
    },
    {
      method: 'POST',
      path: '/decisions/{id}/respond',
      operation: 'respondToDecision',
      status: 200,
      scope: 'decisions:write',
      summary:
        'Respond to a decision once. The same response again has no effect; another one, or one to a closed decision, is a CONFLICT that names who decided and when',
      response: DecisionResource,
      errors: ['CONFLICT'],
      body: RespondToDecisionSchema,
      handle: async ({ principal, params, body }) =>
        presentDecision(await decisions.respond(principal, params['id']!, body)),
    },
  ];
}
