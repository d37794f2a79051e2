import { Type } from 'typebox';
import { ResumedResource } from '../../contract/resources/execution.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Resume } from '../../services/executions/resume.service.ts';
import type { Route } from './route.ts';

export function resumeRoutes(resume: Resume): Route[] {
  return [
    {
      method: 'POST',
      path: '/resume/{token}',
      operation: 'resumeExecution',
      status: 200,
      // The token in the path is the credential and can be used once.
      scope: 'public',
      summary:
        'Resume an execution that waits for this request. The body becomes the output of the waiting node',
      response: ResumedResource,
      errors: ['NOT_FOUND', 'CONFLICT'],
      beforeBody: ({ token }) => resume.requireKnown(token ?? ''),
      body: Type.Unknown({ description: 'Any JSON.' }),
      bodyOptional: true,
      async handle({ params, body, setHeader }) {
        // As on all paths that callers of workflows may open in a browser.
        setHeader('content-security-policy', 'sandbox');
        const { executionId } = await resume.post(params['token']!, body as Json);
        return { execution_id: executionId };
      },
    },
  ];
}
