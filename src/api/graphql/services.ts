import type { ApiKeysService } from '../../services/accounts/api-keys.service.ts';
import type { AuthService } from '../../services/accounts/auth.service.ts';
import type { Evaluations } from '../../services/executions/evaluations.service.ts';
import type { Connections } from '../../services/credentials/connections.service.ts';
import type { ExecutionEvents } from '../../services/executions/execution-events.service.ts';
import type { Executions } from '../../services/executions/executions.service.ts';
import type { Health } from '../../services/observability/health.service.ts';
import type { Nodes } from '../../services/workflows/nodes.service.ts';
import type { OAuthClientsService } from '../../services/accounts/oauth-clients.service.ts';
import type { OAuthGrantsService } from '../../services/accounts/oauth-grants.service.ts';
import type { PinnedOutputs } from '../../services/workflows/pinned-outputs.service.ts';
import type { SecretsService } from '../../services/credentials/secrets.service.ts';
import type { Packs } from '../../services/packs/packs.service.ts';
import type { Templates } from '../../services/workflows/templates.service.ts';
import type { UsersService } from '../../services/accounts/users.service.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import type { Workflows } from '../../services/workflows/workflows.service.ts';
import type { ListenOpener } from '../rest/routes-listen.ts';

/** The services that the API calls. */
export type GraphqlServices = {
  readonly auth: AuthService;
  readonly users: UsersService;
  readonly apiKeys: ApiKeysService;
  readonly secrets: SecretsService;
  readonly connections: Connections;
  readonly oauthClients: OAuthClientsService;
  readonly oauthGrants: OAuthGrantsService;
  readonly workflows: Workflows;
  readonly pinnedOutputs: PinnedOutputs;
  readonly executions: Executions;
  readonly evaluations: Evaluations;
  readonly events: ExecutionEvents;
  readonly nodes: Nodes;
  readonly packs: Packs;
  readonly templates: Templates<WorkflowView>;
  readonly listen: ListenOpener;
  readonly health: Health;
};
