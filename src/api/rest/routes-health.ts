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
      summary: 'How the service is; administrators also see its measures',
      answer: HealthResource,
      handle: ({ principal }) => health.view(principal),
    },
    {
      method: 'GET',
      path: '/health/live',
      operation: 'getLiveness',
      status: 200,
      scope: 'public',
      summary: 'Whether the process answers',
      answer: LiveResource,
      handle: () => ({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/health/ready',
      operation: 'getReadiness',
      status: 200,
      scope: 'public',
      summary: 'Whether the service takes work',
      answer: ReadyResource,
      also: [
        { status: 500, answer: ReadyResource, description: 'It starts or drains.' },
        {
          status: 503,
          answer: ReadyResource,
          description: 'It cannot write to its store, for example because the disk is full.',
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
