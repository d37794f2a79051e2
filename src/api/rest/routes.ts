import type { Evaluations } from '../../services/executions/evaluations.service.ts';
import type { Connections } from '../../services/credentials/connections.service.ts';
import type { Executions } from '../../services/executions/executions.service.ts';
import type { Files } from '../../services/executions/files.service.ts';
import type { Health } from '../../services/observability/health.service.ts';
import type { Nodes } from '../../services/workflows/nodes.service.ts';
import type { Resume } from '../../services/executions/resume.service.ts';
import type { Templates } from '../../services/workflows/templates.service.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import type { Workflows } from '../../services/workflows/workflows.service.ts';
import type { Route } from './route.ts';
import { evaluateRoutes } from './routes-evaluate.ts';
import { connectionRoutes } from './routes-connections.ts';
import { executionRoutes } from './routes-executions.ts';
import { fileRoutes } from './routes-files.ts';
import { healthRoutes } from './routes-health.ts';
import { listenRoutes, type ListenOpener } from './routes-listen.ts';
import { nodeRoutes } from './routes-nodes.ts';
import { accountRoutes, type AccountServices } from './routes-accounts.ts';
import { oauthRoutes, type OAuthServices } from './routes-oauth.ts';
import { resumeRoutes } from './routes-resume.ts';
import { templateRoutes } from './routes-templates.ts';
import { workflowRoutes } from './routes-workflows.ts';

export type RouteServices = AccountServices &
  OAuthServices & {
    readonly workflows: Workflows;
    readonly templates: Templates<WorkflowView>;
    readonly connections: Connections;
    readonly listen: ListenOpener;
    readonly executions: Executions;
    readonly evaluations: Evaluations;
    readonly resume: Resume;
    readonly files: Files;
    readonly nodes: Nodes;
    readonly health: Health;
  };

/** Rows on one subject, under the title that the documents give it. */
export type RouteGroup = { readonly title: string; readonly routes: readonly Route[] };

/** The whole REST table, in the order of the documents. A row asks for its service only when a request comes. */
export function routeGroups(services: RouteServices): readonly RouteGroup[] {
  const people = accountRoutes(services);
  const below = (path: string): Route[] => people.filter((route) => route.path.startsWith(path));
  return [
    { title: 'Authentication', routes: below('/auth/') },
    { title: 'Users', routes: below('/users') },
    { title: 'API keys', routes: below('/api-keys') },
    { title: 'Secrets', routes: below('/secrets') },
    { title: 'Connections', routes: connectionRoutes(services.connections) },
    { title: 'OAuth clients and grants', routes: oauthRoutes(services) },
    { title: 'Workflows', routes: [...workflowRoutes(services.workflows), ...listenRoutes(services.listen)] },
    { title: 'Workflow templates', routes: templateRoutes(services.templates) },
    {
      title: 'Executions',
      routes: [
        ...executionRoutes(services.executions),
        ...resumeRoutes(services.resume),
        ...evaluateRoutes(services.evaluations),
      ],
    },
    { title: 'Files', routes: fileRoutes(services.files) },
    { title: 'Nodes', routes: nodeRoutes(services.nodes) },
    { title: 'Health', routes: healthRoutes(services.health) },
  ];
}
