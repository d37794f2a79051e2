import { Compass } from 'lucide-react';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';
import { t } from '../../i18n/index.ts';

export function NotFoundPage() {
  return (
    <Page title={t('Not found')}>
      <EmptyState
        icon={<Compass size={20} />}
        title={t('Page not found')}
        actions={<ButtonLink href="/workflows">{t('Go to workflows')}</ButtonLink>}
      >
        {t('It may have been deleted, or you may not have access to it.')}
      </EmptyState>
    </Page>
  );
}
