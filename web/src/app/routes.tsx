import { usePrefetchQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useCurrentUser } from '../data/current-user.ts';
import { NotFoundPage } from '../pages/not-found/not-found-page.tsx';
import { WorkflowsPage } from '../pages/workflows/workflows-page.tsx';
import { createExecutionPageQuery } from '../runs/load-execution.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { createLazyComponent } from '../ui/lazy-component.tsx';
import { PageLoading } from './page-loading.tsx';

const EditorPage = createLazyComponent(
  async () => (await import('../canvas/page/editor-page.tsx')).EditorPage,
);
const TrashPage = createLazyComponent(
  async () => (await import('../pages/workflows/deleted-workflows-page.tsx')).DeletedWorkflowsPage,
);
const ExecutionsPage = createLazyComponent(
  async () => (await import('../pages/executions/executions-page.tsx')).ExecutionsPage,
);
const ExecutionPage = createLazyComponent(
  async () => (await import('../runs/execution-page.tsx')).ExecutionPage,
);
const ComparePage = createLazyComponent(
  async () => (await import('../pages/compare/compare-page.tsx')).ComparePage,
);
const HistoryPage = createLazyComponent(
  async () => (await import('../pages/history/history-page.tsx')).HistoryPage,
);
const InboxPage = createLazyComponent(async () => (await import('../pages/inbox/inbox-page.tsx')).InboxPage);
const ThreadsPage = createLazyComponent(
  async () => (await import('../pages/threads/threads-page.tsx')).ThreadsPage,
);
const VectorCollectionsPage = createLazyComponent(
  async () => (await import('../pages/vector-collections/vector-collections-page.tsx')).VectorCollectionsPage,
);
const TemplatesPage = createLazyComponent(
  async () => (await import('../pages/templates/templates-page.tsx')).TemplatesPage,
);
const ApiKeysPage = createLazyComponent(
  async () => (await import('../pages/api-keys/api-keys-page.tsx')).ApiKeysPage,
);
const OAuthClientsPage = createLazyComponent(
  async () => (await import('../pages/oauth-clients/oauth-clients-page.tsx')).OAuthClientsPage,
);
const SecretsPage = createLazyComponent(
  async () => (await import('../pages/secrets/secrets-page.tsx')).SecretsPage,
);
const ConnectionsPage = createLazyComponent(
  async () => (await import('../pages/connections/connections-page.tsx')).ConnectionsPage,
);
const UsersPage = createLazyComponent(async () => (await import('../pages/users/users-page.tsx')).UsersPage);
const AuditLogPage = createLazyComponent(
  async () => (await import('../pages/audit-log/audit-log-page.tsx')).AuditLogPage,
);
const CustomNodesPage = createLazyComponent(
  async () => (await import('../pages/custom-nodes/custom-nodes-page.tsx')).CustomNodesPage,
);
const ConnectorsPage = createLazyComponent(
  async () => (await import('../pages/connectors/connectors-page.tsx')).ConnectorsPage,
);
const ConnectorPage = createLazyComponent(
  async () => (await import('../pages/connectors/connector-page.tsx')).ConnectorPage,
);
const UsagePage = createLazyComponent(async () => (await import('../pages/usage/usage-page.tsx')).UsagePage);
const ModelUsagePage = createLazyComponent(
  async () => (await import('../pages/model-usage/model-usage-page.tsx')).ModelUsagePage,
);
const SystemPage = createLazyComponent(
  async () => (await import('../pages/system/system-page.tsx')).SystemPage,
);
const AccountPage = createLazyComponent(
  async () => (await import('../pages/account/account-page.tsx')).AccountPage,
);

/** Loads an execution while the code of its page is loaded. */
function ExecutionRoute({ executionId }: { executionId: string }) {
  usePrefetchQuery(createExecutionPageQuery(executionId));
  return <ExecutionPage executionId={executionId} />;
}

/** All routes. */
export function Routes() {
  const [location] = useLocation();
  const me = useCurrentUser();
  return (
    <ErrorBoundary resetKey={location}>
      <Suspense key={location} fallback={<PageLoading />}>
        <Switch>
          <Route path="/">
            <Redirect to="/workflows" replace />
          </Route>
          <Route path="/workflows" component={WorkflowsPage} />
          <Route path="/workflows/deleted" component={TrashPage} />
          <Route path="/workflows/:id">{({ id }) => <EditorPage key={id} workflowId={id} />}</Route>
          <Route path="/workflows/:id/history">{({ id }) => <HistoryPage key={id} workflowId={id} />}</Route>
          <Route path="/executions" component={ExecutionsPage} />
          <Route path="/executions/:id">{({ id }) => <ExecutionRoute key={id} executionId={id} />}</Route>
          <Route path="/executions/:before/compare/:after">
            {({ before, after }) => (
              <ComparePage key={`${before} ${after}`} beforeId={before} afterId={after} />
            )}
          </Route>
          <Route path="/inbox" component={InboxPage} />
          <Route path="/threads" component={ThreadsPage} />
          <Route path="/templates" component={TemplatesPage} />
          <Route path="/settings/api-keys" component={ApiKeysPage} />
          <Route path="/settings/oauth-clients" component={OAuthClientsPage} />
          <Route path="/settings/connections" component={ConnectionsPage} />
          <Route path="/settings/secrets" component={SecretsPage} />
          {me?.role === 'admin' && <Route path="/settings/users" component={UsersPage} />}
          {me?.role === 'admin' && <Route path="/settings/audit-log" component={AuditLogPage} />}
          <Route path="/settings/custom-nodes" component={CustomNodesPage} />
          <Route path="/settings/connectors" component={ConnectorsPage} />
          <Route path="/settings/connectors/:name">
            {({ name }) => <ConnectorPage key={name} name={name} />}
          </Route>
          <Route path="/settings/usage" component={UsagePage} />
          <Route path="/settings/model-usage" component={ModelUsagePage} />
          <Route path="/settings/vector-collections" component={VectorCollectionsPage} />
          <Route path="/settings/system" component={SystemPage} />
          <Route path="/settings/account" component={AccountPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
