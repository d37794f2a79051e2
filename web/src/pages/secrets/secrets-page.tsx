import { LockKeyhole, PencilLine, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Secret } from 'weft-client';
import { client } from '../../data/client.ts';
import { useSecrets } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { SecretDialog } from './secret-dialog.tsx';

function columnsOf(onReplace: (secret: Secret) => void): readonly Column<Secret>[] {
  return [
    {
      title: 'Name',
      cell: (one) => (
        <>
          <span className="row">
            <code className="table__main">{one.name}</code>
            <CopyButton text={`{{ secrets.${one.name} }}`} label={`Copy the template of ${one.name}`} />
          </span>
          {one.description !== '' && <span className="table__sub truncate">{one.description}</span>}
        </>
      ),
    },
    {
      title: 'Sent to',
      cell: (one) =>
        one.hosts === null ? (
          <span className="faint">any host</span>
        ) : (
          <span className="scope-list">
            {one.hosts.map((host) => (
              <code key={host} className="tag">
                {host}
              </code>
            ))}
          </span>
        ),
    },
    {
      title: 'Changed',
      className: 'table__tight table__narrow-hide',
      cell: (one) => <Time at={one.updated_at} />,
    },
    {
      title: '',
      className: 'table__tight',
      cell: (one) => (
        <div className="table__actions">
          <IconButton
            label={`A new value for ${one.name}`}
            size="small"
            icon={<PencilLine size={15} />}
            onClick={() => onReplace(one)}
          />
          <DeleteButton name={one.name} run={() => client.secrets.delete(one.name)} changes={[['secrets']]}>
            Workflows that use it fail at the node that needs it. The value cannot be brought back.
          </DeleteButton>
        </div>
      ),
    },
  ];
}

export function SecretsPage() {
  const url = useUrlState();
  const list = useSecrets(url.page);
  const [open, setOpen] = useState<{ secret: Secret | null } | null>(null);
  const columns = useMemo(() => columnsOf((secret) => setOpen({ secret })), []);
  const create = (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setOpen({ secret: null })}>
      New secret
    </Button>
  );
  return (
    <Page
      title="Secrets"
      lead="Passwords, tokens and keys that workflows use by name. They are opened at the moment of use, and shown to nobody."
      actions={create}
    >
      <ListTable
        label="Secrets"
        columns={columns}
        items={list.data?.secrets}
        keyOf={(one) => one.name}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          <EmptyState icon={<LockKeyhole size={20} />} title="No secrets yet">
            Store a token once, and write <code>{'{{ secrets.NAME }}'}</code> where a node needs it. It can be
            limited to the hosts that it is for, so that a workflow cannot carry it elsewhere.
          </EmptyState>
        }
      />
      {open !== null && <SecretDialog secret={open.secret} onClose={() => setOpen(null)} />}
    </Page>
  );
}
