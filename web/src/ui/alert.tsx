import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { toErrorText } from '../data/error-text.ts';
import { Button } from './button.tsx';
import { t } from '../i18n/index.ts';

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert };

export function Alert({
  tone = 'info',
  children,
  action,
}: {
  tone?: keyof typeof ICONS;
  children: ReactNode;
  action?: ReactNode;
}) {
  const Icon = ICONS[tone];
  return (
    <div className={`notice notice--${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon size={15} aria-hidden="true" />
      <div className="notice__body">{children}</div>
      {action}
    </div>
  );
}

/** An error with a retry button. */
export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  return (
    <Alert
      tone="bad"
      action={
        onRetry !== undefined && (
          <Button size="small" onClick={onRetry}>
            {t('Try again')}
          </Button>
        )
      }
    >
      {toErrorText(error)}
    </Alert>
  );
}
