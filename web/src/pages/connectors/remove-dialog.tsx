import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { ConflictError, type Pack, type PackWorkflowList } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { PACK_CHANGES } from './use-packs.ts';
import { t, tElements, tPlural } from '../../i18n/index.ts';

type UsingWorkflow = PackWorkflowList['workflows'][number];

export function RemoveButton({ pack }: { pack: Pick<Pack, 'name' | 'title' | 'versions'> }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <IconButton
        label={t('Remove {{name}}', { name: pack.title })}
        size="small"
        icon={<Trash2 size={15} />}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && <RemoveDialog pack={pack} version={null} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** Removes a pack or one of its versions. Where workflows use it, they are listed. */
export function RemoveDialog({
  pack: { name, title, versions },
  version,
  onClose,
  onRemoved,
}: {
  pack: Pick<Pack, 'name' | 'title' | 'versions'>;
  /** Null: all versions. */
  version: string | null;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const what = version === null ? title : `${title} ${version}`;
  const remove = useMutationWithToast(() => client.packs.delete(name, version === null ? {} : { version }), {
    changes: PACK_CHANGES,
    onDone: () => {
      onClose();
      toast({ tone: 'good', title: t('{{name}} removed', { name: what }) });
      onRemoved?.();
    },
  });
  const workflows = listUsingWorkflows(remove.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Remove “{{name}}”?', { name: what })}
      onSubmit={() => !remove.isPending && remove.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{workflows.length === 0 ? t('Cancel') : t('Close')}</Button>
          {workflows.length === 0 && (
            <Button type="submit" variant="danger-solid" isBusy={remove.isPending}>
              {t('Remove')}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {remove.error === null ? (
          <p className="soft">
            {tPlural(
              version === null ? versions.length : 1,
              'This removes it for all users.',
              'This removes all {{count}} versions for all users.',
            )}{' '}
            {t('A connector that a workflow uses cannot be removed.')}
          </p>
        ) : (
          <Alert tone="bad">{toErrorText(remove.error)}</Alert>
        )}
        {workflows.length > 0 && <WorkflowLinks workflows={workflows} />}
      </div>
    </Dialog>
  );
}

function listUsingWorkflows(error: unknown): readonly UsingWorkflow[] {
  if (!(error instanceof ConflictError)) return [];
  const { workflows } = error.details as { workflows?: readonly UsingWorkflow[] };
  return workflows ?? [];
}

export function WorkflowLinks({ workflows }: { workflows: readonly UsingWorkflow[] }) {
  return (
    <ul className="pack-list" aria-label={t('Workflows that use the connector')}>
      {workflows.map(({ id, name }) => (
        <li key={id}>
          {name === null ? (
            tElements('Workflow {{id}} of another user', { id: <code className="faint">{id}</code> })
          ) : (
            <Link href={`/workflows/${id}`}>{name}</Link>
          )}
        </li>
      ))}
    </ul>
  );
}
