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
      // The address is the credential: whoever holds it may post, once.
      scope: 'public',
      summary: 'Go on with an execution that waits for this post; the body is what its node gives on',
      answer: ResumedResource,
      errors: ['NOT_FOUND', 'CONFLICT'],
      beforeBody: ({ token }) => resume.requireKnown(token ?? ''),
      body: Type.Unknown({ description: 'Any JSON.' }),
      bodyOptional: true,
      async handle({ params, body, setHeader }) {
        // As at every address that callers of workflows open.
        setHeader('content-security-policy', 'sandbox');
        const { executionId } = await resume.post(params['token']!, body as Json);
        return { execution_id: executionId };
      },
    },
  ];
}
