import type { ApiKeysService } from '../../services/api-keys.service.ts';
import type { AuthService } from '../../services/auth.service.ts';
import type { Evaluations } from '../../services/evaluations.service.ts';
import type { Connections } from '../../services/connections.service.ts';
import type { ExecutionEvents } from '../../services/execution-events.service.ts';
import type { Executions } from '../../services/executions.service.ts';
import type { Health } from '../../services/health.service.ts';
import type { Nodes } from '../../services/nodes.service.ts';
import type { OAuthClientsService } from '../../services/oauth-clients.service.ts';
import type { OAuthGrantsService } from '../../services/oauth-grants.service.ts';
import type { SecretsService } from '../../services/secrets.service.ts';
import type { Templates } from '../../services/templates.service.ts';
import type { UsersService } from '../../services/users.service.ts';
import type { WorkflowView } from '../../services/workflow-reads.ts';
import type { Workflows } from '../../services/workflows.service.ts';
import type { ListenOpener } from '../rest/routes-listen.ts';

/** What this door opens to. */
export type GraphqlServices = {
  readonly auth: AuthService;
  readonly users: UsersService;
  readonly apiKeys: ApiKeysService;
  readonly secrets: SecretsService;
  readonly connections: Connections;
  readonly oauthClients: OAuthClientsService;
  readonly oauthGrants: OAuthGrantsService;
  readonly workflows: Workflows;
  readonly executions: Executions;
  readonly evaluations: Evaluations;
  readonly events: ExecutionEvents;
  readonly nodes: Nodes;
  readonly templates: Templates<WorkflowView>;
  readonly listen: ListenOpener;
  readonly health: Health;
};
