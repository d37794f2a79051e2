import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useMe } from '../data/me.ts';
import { NotFoundPage } from '../pages/not-found/not-found-page.tsx';
import { WorkflowsPage } from '../pages/workflows/workflows-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { lazyPage } from './lazy-page.tsx';
import { PageLoading } from './page-loading.tsx';

const EditorPage = lazyPage(async () => (await import('../pages/editor/editor-page.tsx')).EditorPage);
const TemplatesPage = lazyPage(
  async () => (await import('../pages/templates/templates-page.tsx')).TemplatesPage,
);
const ApiKeysPage = lazyPage(async () => (await import('../pages/api-keys/api-keys-page.tsx')).ApiKeysPage);
const OAuthClientsPage = lazyPage(
  async () => (await import('../pages/oauth-clients/oauth-clients-page.tsx')).OAuthClientsPage,
);
const SecretsPage = lazyPage(async () => (await import('../pages/secrets/secrets-page.tsx')).SecretsPage);
const UsersPage = lazyPage(async () => (await import('../pages/users/users-page.tsx')).UsersPage);
const CustomNodesPage = lazyPage(
  async () => (await import('../pages/custom-nodes/custom-nodes-page.tsx')).CustomNodesPage,
);
const UsagePage = lazyPage(async () => (await import('../pages/usage/usage-page.tsx')).UsagePage);
const SystemPage = lazyPage(async () => (await import('../pages/system/system-page.tsx')).SystemPage);
const AccountPage = lazyPage(async () => (await import('../pages/account/account-page.tsx')).AccountPage);

/** Every address of the page. */
export function Routes() {
  const [location] = useLocation();
  const me = useMe();
  return (
    <ErrorBoundary resetKey={location}>
      <Suspense fallback={<PageLoading />}>
        <Switch>
          <Route path="/">
            <Redirect to="/workflows" replace />
          </Route>
          <Route path="/workflows" component={WorkflowsPage} />
          <Route path="/workflows/:id">{({ id }) => <EditorPage key={id} workflowId={id} />}</Route>
          <Route path="/templates" component={TemplatesPage} />
          <Route path="/settings/api-keys" component={ApiKeysPage} />
          <Route path="/settings/oauth-clients" component={OAuthClientsPage} />
          <Route path="/settings/secrets" component={SecretsPage} />
          {me?.role === 'admin' && <Route path="/settings/users" component={UsersPage} />}
          <Route path="/settings/custom-nodes" component={CustomNodesPage} />
          <Route path="/settings/usage" component={UsagePage} />
          <Route path="/settings/system" component={SystemPage} />
          <Route path="/settings/account" component={AccountPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
