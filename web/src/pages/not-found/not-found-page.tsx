import { Compass } from 'lucide-react';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={<Compass size={20} />}
        title="There is nothing at this address"
        actions={<ButtonLink href="/workflows">To the workflows</ButtonLink>}
      >
        It may have been deleted, belong to somebody else, or never have been here.
      </EmptyState>
    </Page>
  );
}
