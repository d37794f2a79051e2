import { Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { QueryKey } from '@tanstack/react-query';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { toErrorText } from '../data/error-text.ts';
import { IconButton } from './button.tsx';
import { ConfirmDialog } from './overlays/confirm-dialog.tsx';
import { t } from '../i18n/index.ts';

/** The texts of an action: its own, that of the button, and the question. */
const TEXTS_BY_ACTION = {
  delete: {
    action: t('Delete'),
    label: (name: string) => t('Delete {{name}}', { name }),
    question: (name: string) => t('Delete “{{name}}”?', { name }),
  },
  deletePermanently: {
    action: t('Delete permanently'),
    label: (name: string) => t('Delete permanently {{name}}', { name }),
    question: (name: string) => t('Delete permanently “{{name}}”?', { name }),
  },
  revoke: {
    action: t('Revoke'),
    label: (name: string) => t('Revoke {{name}}', { name }),
    question: (name: string) => t('Revoke “{{name}}”?', { name }),
  },
};

/** A delete button at the end of a row, with confirmation. `children` names what is deleted as well. */
export function DeleteButton({
  name,
  action = 'delete',
  run,
  changes,
  mustType,
  children,
}: {
  name: string;
  action?: keyof typeof TEXTS_BY_ACTION;
  run: () => Promise<unknown>;
  changes: readonly QueryKey[];
  mustType?: string | undefined;
  children: ReactNode;
}) {
  const texts = TEXTS_BY_ACTION[action];
  const [isOpen, setIsOpen] = useState(false);
  const remove = useMutationWithToast(run, { changes, onDone: () => setIsOpen(false) });
  return (
    <>
      <IconButton
        label={texts.label(name)}
        size="small"
        icon={<Trash2 size={15} />}
        onClick={() => {
          remove.reset();
          setIsOpen(true);
        }}
      />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        onConfirm={() => remove.mutate(undefined)}
        isBusy={remove.isPending}
        error={remove.error === null ? null : toErrorText(remove.error)}
        title={texts.question(name)}
        action={texts.action}
        mustType={mustType}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
