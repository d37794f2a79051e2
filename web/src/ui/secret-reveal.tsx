import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './overlays/dialog.tsx';
import { Alert } from './alert.tsx';
import { toSentenceCase, t } from '../i18n/index.ts';

/** Shows a secret once; only its own button closes it. */
export function SecretReveal({
  title,
  values,
  onClose,
}: {
  title: string;
  values: readonly { label: string; value: string }[];
  onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      isSticky
      onClose={onClose}
      title={title}
      foot={
        <Button variant="primary" onClick={onClose}>
          {t('I have saved it')}
        </Button>
      }
    >
      <div className="form">
        <Alert tone="warn">{t('Copy it now. You will not be able to see it again.')}</Alert>
        {values.map(({ label, value }) => (
          <div key={label} className="field">
            <span className="field__label">{label}</span>
            <div className="reveal">
              <code className="reveal__value">{value}</code>
              <CopyButton text={value} label={t('Copy {{what}}', { what: toSentenceCase(label) })} />
            </div>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
