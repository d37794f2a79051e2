import { HealthResource, LiveResource, ReadyResource } from '../../contract/resources/health.ts';
import type { Health } from '../../services/observability/health.service.ts';
import type { Route } from './route.ts';

export function healthRoutes(health: Health): Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      operation: 'getHealth',
      status: 200,
      scope: 'public',
      readsCredential: true,
      summary: 'Get the health of the service. Administrators also see measurements',
      response: HealthResource,
      handle: ({ principal }) => health.view(principal),
    },
    {
      method: 'GET',
      path: '/health/live',
      operation: 'getLiveness',
      status: 200,
      scope: 'public',
      summary: 'Check whether the process is alive',
      response: LiveResource,
      handle: () => ({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/health/ready',
      operation: 'getReadiness',
      status: 200,
      scope: 'public',
      summary: 'Check whether the service accepts work',
      response: ReadyResource,
      otherResponses: [
        { status: 500, response: ReadyResource, description: 'The service is starting or draining.' },
        {
          status: 503,
          response: ReadyResource,
          description: 'The service cannot write to its store, for example because the disk is full.',
        },
      ],
      async handle({ setStatus }) {
        const status = await health.readiness();
        if (status === 'degraded') setStatus(503);
        else if (status !== 'ready') setStatus(500);
        return { status };
      },
    },
  ];
}
