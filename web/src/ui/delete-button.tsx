import { Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { QueryKey } from '@tanstack/react-query';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { toErrorText } from '../data/error-text.ts';
import { IconButton } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** A delete button at the end of a row, with confirmation. `children` names what is deleted as well. */
export function DeleteButton({
  name,
  action = 'Delete',
  run,
  changes,
  mustType,
  children,
}: {
  name: string;
  action?: string;
  run: () => Promise<unknown>;
  changes: readonly QueryKey[];
  mustType?: string | undefined;
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const remove = useMutationWithToast(run, { changes, onDone: () => setIsOpen(false) });
  return (
    <>
      <IconButton
        label={`${action} ${name}`}
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
        title={`${action} “${name}”?`}
        action={action}
        mustType={mustType}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
