import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Unplug } from 'lucide-react';
import { t } from '../i18n/index.ts';

/** Contains the error of one page. A chunk that failed to load is fetched again on reload. */
export class ErrorBoundary extends Component<{ children: ReactNode; resetKey: string }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidUpdate(before: { resetKey: string }): void {
    if (before.resetKey !== this.props.resetKey && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const isMissingPart = error instanceof TypeError && /import|module/i.test(error.message);
    return (
      <div className="center">
        <EmptyState
          icon={<Unplug size={20} />}
          title={isMissingPart ? t('Part of this page could not be loaded') : t('Something went wrong')}
          actions={<Button onClick={() => location.reload()}>{t('Reload page')}</Button>}
        >
          {isMissingPart
            ? t('The server was updated or cannot be reached.')
            : error instanceof Error
              ? error.message
              : t('Unexpected error')}
        </EmptyState>
      </div>
    );
  }
}
