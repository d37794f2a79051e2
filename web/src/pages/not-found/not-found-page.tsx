import { Compass } from 'lucide-react';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={<Compass size={20} />}
        title="Page not found"
        actions={<ButtonLink href="/workflows">Go to workflows</ButtonLink>}
      >
        It may have been deleted, or you may not have access to it.
      </EmptyState>
    </Page>
  );
}
