import type { Evaluations } from '../../services/executions/evaluations.service.ts';
import type { ConnectionProviders } from '../../services/credentials/connection-providers.service.ts';
import type { Connections } from '../../services/credentials/connections.service.ts';
import type { Executions } from '../../services/executions/executions.service.ts';
import type { Files } from '../../services/executions/files.service.ts';
import type { AuditService } from '../../services/audit/audit.service.ts';
import type { Health } from '../../services/observability/health.service.ts';
import type { DeletedWorkflows } from '../../services/workflows/deleted-workflows.service.ts';
import type { Nodes } from '../../services/workflows/nodes.service.ts';
import type { PackApps } from '../../services/pack-webhooks/pack-apps.service.ts';
import type { PackChoiceLists } from '../../services/packs/pack-choices.service.ts';
import type { McpTools } from '../../services/mcp/mcp-tools.service.ts';
import type { Packs } from '../../services/packs/packs.service.ts';
import type { PinnedOutputs } from '../../services/workflows/pinned-outputs.service.ts';
import type { Decisions } from '../../services/decisions/decisions.service.ts';
import type { Threads } from '../../services/threads/threads.service.ts';
import type { VectorCollections } from '../../services/vectors/vector-collections.service.ts';
import type { Resume } from '../../services/executions/resume.service.ts';
import type { ModelPricesService } from '../../services/usage/model-prices.service.ts';
import type { ProviderModels } from '../../services/usage/provider-models.service.ts';
import type { ModelUsageService } from '../../services/usage/model-usage.service.ts';
import type { StatisticsService } from '../../services/executions/statistics.service.ts';
import type { Templates } from '../../services/workflows/templates.service.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import type { Workflows } from '../../services/workflows/workflows.service.ts';
import type { Route } from './route.ts';
import { evaluateRoutes } from './routes-evaluate.ts';
import { auditRoutes } from '../audit/routes.ts';
import { connectionRoutes } from './routes-connections.ts';
import { deletedWorkflowRoutes } from './routes-deleted-workflows.ts';
import { executionRoutes } from './routes-executions.ts';
import { fileRoutes } from './routes-files.ts';
import { healthRoutes } from './routes-health.ts';
import { listenRoutes, type ListenOpener } from './routes-listen.ts';
import { nodeRoutes } from './routes-nodes.ts';
import { accountRoutes, type AccountServices } from './routes-accounts.ts';
import { oauthRoutes, type OAuthServices } from './routes-oauth.ts';
import { mcpRoutes } from './routes-mcp.ts';
import { packRoutes } from './routes-packs.ts';
import { pinnedOutputRoutes } from './routes-pinned-outputs.ts';
import { decisionRoutes } from '../decisions/routes.ts';
import { threadRoutes } from '../threads/routes.ts';
import { vectorCollectionRoutes } from '../vectors/routes.ts';
import { resumeRoutes } from './routes-resume.ts';
import { modelRoutes, statisticsRoutes } from './routes-statistics.ts';
import { templateRoutes } from './routes-templates.ts';
import { workflowRoutes } from './routes-workflows.ts';

export type RouteServices = AccountServices &
  OAuthServices & {
    readonly workflows: Workflows;
    readonly deletedWorkflows: DeletedWorkflows;
    readonly pinnedOutputs: PinnedOutputs;
    readonly templates: Templates<WorkflowView>;
    readonly connections: Connections;
    readonly connectionProviders: ConnectionProviders;
    readonly listen: ListenOpener;
    readonly executions: Executions;
    readonly statistics: StatisticsService;
    readonly modelUsage: ModelUsageService;
    readonly modelPrices: ModelPricesService;
    readonly providerModels: ProviderModels;
    readonly evaluations: Evaluations;
    readonly decisions: Decisions;
    readonly threads: Threads;
    readonly vectorCollections: VectorCollections;
    readonly resume: Resume;
    readonly files: Files;
    readonly nodes: Nodes;
    readonly packs: Packs;
    readonly mcpTools: McpTools;
    readonly packChoices: PackChoiceLists;
    readonly packApps: PackApps;
    readonly audit: AuditService;
    readonly health: Health;
  };

/** Routes on one subject, under their title in the documentation. */
export type RouteGroup = {
  readonly title: string;
  readonly description: string;
  readonly routes: readonly Route[];
};

/** All REST routes, in the order of the documentation. Services are only accessed when a request arrives. */
export function routeGroups(services: RouteServices): readonly RouteGroup[] {
  const allAccountRoutes = accountRoutes(services);
  const filterByPath = (path: string): Route[] =>
    allAccountRoutes.filter((route) => route.path.startsWith(path));
  return [
    {
      title: 'Authentication',
      description: 'Login, sessions and the current user.',
      routes: filterByPath('/auth/'),
    },
    {
      title: 'Users',
      description: 'Administration of users: roles, plans and deletion.',
      routes: filterByPath('/users'),
    },
    {
      title: 'API keys',
      description: 'Credentials of programs, with scopes and an expiry.',
      routes: filterByPath('/api-keys'),
    },
    {
      title: 'Secrets',
      description: 'Encrypted values that nodes read by name.',
      routes: filterByPath('/secrets'),
    },
    {
      title: 'Connections',
      description:
        'Accounts, API keys and passwords of other services, which nodes use by name. Weft renews tokens of OAuth.',
      routes: connectionRoutes(services.connections, services.connectionProviders),
    },
    {
      title: 'OAuth clients and grants',
      description: 'Applications that may act for users, and the grants that users gave them.',
      routes: oauthRoutes(services),
    },
    {
      title: 'Workflows',
      description:
        'Definitions, their versions, validation, activation, deletion and restoring, test URLs and pinned outputs.',
      routes: [
        ...workflowRoutes(services.workflows),
        ...deletedWorkflowRoutes(services.deletedWorkflows),
        ...listenRoutes(services.listen),
        ...pinnedOutputRoutes(services.pinnedOutputs),
      ],
    },
    {
      title: 'Workflow templates',
      description: 'Workflows with parameters, from which workflows are created.',
      routes: templateRoutes(services.templates),
    },
    {
      title: 'Executions',
      description: 'Starting, reading, stopping, retrying and resuming executions; logs and expressions.',
      routes: [
        ...executionRoutes(services.executions),
        ...resumeRoutes(services.resume),
        ...evaluateRoutes(services.evaluations),
      ],
    },
    {
      title: 'Decisions',
      description: 'Approvals and other questions that executions ask people.',
      routes: decisionRoutes(services.decisions),
    },
    {
      title: 'Threads',
      description: 'Conversations that executions continue: the memory of agents.',
      routes: threadRoutes(services.threads),
    },
    {
      title: 'Vector collections',
      description: 'Documents that workflows find by the similarity of their embeddings.',
      routes: vectorCollectionRoutes(services.vectorCollections),
    },
    {
      title: 'Statistics',
      description: 'The number and duration of executions over time.',
      routes: statisticsRoutes(services.statistics),
    },
    {
      title: 'Language models',
      description: 'The models of providers, and the tokens, cost and prices of their calls.',
      routes: modelRoutes(services.modelUsage, services.modelPrices, services.providerModels),
    },
    { title: 'Files', description: 'Files that executions hold.', routes: fileRoutes(services.files) },
    { title: 'Nodes', description: 'The node types and custom nodes.', routes: nodeRoutes(services.nodes) },
    {
      title: 'Packs',
      description: 'Connectors made from OpenAPI documents: installation, versions and operations.',
      routes: packRoutes(services.packs, services.packChoices, services.packApps),
    },
    {
      title: 'Audit log',
      description: 'Who changed what, signed in and decided, for administrators.',
      routes: auditRoutes(services.audit),
    },
    { title: 'MCP', description: 'Tools of MCP servers.', routes: mcpRoutes(services.mcpTools) },
    {
      title: 'Health',
      description: 'Liveness, readiness and the state of the service.',
      routes: healthRoutes(services.health),
    },
  ];
}
