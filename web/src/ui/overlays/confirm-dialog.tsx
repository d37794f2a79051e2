import { useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from '../field.tsx';
import { t, tElements } from '../../i18n/index.ts';

/** Confirms an irreversible action. `mustType`: the text to type before the action is enabled. */
export function ConfirmDialog({
  isOpen,
  onClose,
  onConfirm,
  title,
  action,
  isBusy = false,
  error,
  mustType,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: ReactNode;
  /** The label of the confirm button, such as "Delete". */
  action: string;
  isBusy?: boolean | undefined;
  error?: string | null | undefined;
  mustType?: string | undefined;
  children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const isReady = mustType === undefined || typed === mustType;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      onSubmit={() => isReady && !isBusy && onConfirm()}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="danger-solid" isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="soft">{children}</div>
        {mustType !== undefined && (
          <TextField
            label={tElements('Type {{text}} to confirm', { text: <strong>{mustType}</strong> })}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        {error != null && (
          <p className="field__error" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
