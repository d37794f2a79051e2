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
      summary: 'Evaluate a template with the data of an execution or with custom data. Nothing is executed',
      response: EvaluatedResource,
      errors: ['NOT_FOUND'],
      body: EvaluateSchema,
      handle: async ({ principal, body }) => ({ value: await evaluations.evaluate(principal, body) }),
    },
  ];
}
