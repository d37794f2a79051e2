import { Button } from '../../ui/button.tsx';
import { CircleAlert } from 'lucide-react';
import type { LoadedChoices } from './use-choices.ts';
import { t } from '../../i18n/index.ts';

/** Why a field has no choices: an error with a way to try again, or what is missing. */
export function LoadState({ choices }: { choices: LoadedChoices }) {
  const { data, error, isReady, isLoading, blocked, reload } = choices;
  if (error !== null && !isLoading)
    return (
      <div className="field__error loaded__error" role="alert">
        <CircleAlert size={13} aria-hidden="true" />
        <span>{error}</span>
        <Button size="small" onClick={reload}>
          {t('Try again')}
        </Button>
      </div>
    );
  if (!isReady) return <p className="field__hint">{t('Choices load once an account is chosen.')}</p>;
  if (blocked !== null)
    return (
      <p className="field__hint">
        {t('Choices cannot be loaded while {{field}} is a template.', { field: blocked })}
      </p>
    );
  const isEmpty = data !== undefined && (data.disabled || data.options?.length === 0);
  return isEmpty && data.placeholder !== null ? <p className="field__hint">{data.placeholder}</p> : null;
}
