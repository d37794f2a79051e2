import { EvaluatedResource, EvaluateSchema } from '../../contract/requests/evaluate.ts';
import type { Evaluations } from '../../services/executions/evaluations.service.ts';
import type { Route } from './route.ts';

export function evaluateRoutes(evaluations: Evaluations): Route[] {
  return [
    {
      method: 'POST',
      path: '/evaluate',
      operation: 'evaluateTemplate',
      status: 200,
      scope: 'executions:read',
      summary: 'Try out a template with the data of an execution, or with data of your own; nothing runs',
      answer: EvaluatedResource,
      errors: ['NOT_FOUND'],
      body: EvaluateSchema,
      handle: async ({ principal, body }) => ({ value: await evaluations.evaluate(principal, body) }),
    },
  ];
}
