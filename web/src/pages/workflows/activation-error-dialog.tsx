import { ValidationError } from 'weft-client';
import { toErrorText } from '../../data/error-text.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { t } from '../../i18n/index.ts';

/** Lists all reasons why a workflow cannot be activated, with links to the nodes to fix. */
export function ActivationErrorDialog({
  workflow,
  error,
  onClose,
}: {
  workflow: { id: string; name: string };
  error: unknown;
  onClose: () => void;
}) {
  const errors = error instanceof ValidationError ? error.errors : [];
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('“{{name}}” cannot be activated', { name: workflow.name })}
      description={errors.length > 0 ? t('Fix these errors first:') : t('The server rejected the request:')}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <ButtonLink variant="primary" href={`/workflows/${workflow.id}`}>
            {t('Open in editor')}
          </ButtonLink>
        </>
      }
    >
      {errors.length > 0 ? (
        <ul className="errors">
          {errors.map(({ field, issue }) => (
            <li key={`${field} ${issue}`}>
              <code className="errors__field">{field}</code> {issue}
            </li>
          ))}
        </ul>
      ) : (
        <p>{toErrorText(error)}</p>
      )}
    </Dialog>
  );
}
