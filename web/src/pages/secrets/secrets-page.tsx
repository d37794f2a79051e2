import { LockKeyhole, PencilLine } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Secret } from 'weft-client';
import { SecretDialog } from '../../credentials/secret-dialog.tsx';
import { client } from '../../data/client.ts';
import { useSecrets } from '../../data/lists.ts';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { t, tElements } from '../../i18n/index.ts';

function createColumns(onReplace: (secret: Secret) => void): readonly Column<Secret>[] {
  return [
    {
      title: t('Name'),
      cell: (one) => (
        <>
          <span className="row">
            <code className="table__main">{one.name}</code>
            <CopyButton
              text={`{{ secrets.${one.name} }}`}
              label={t('Copy reference to {{name}}', { name: one.name })}
            />
          </span>
          {one.description !== '' && <span className="table__sub truncate">{one.description}</span>}
        </>
      ),
    },
    {
      title: t('Allowed hosts'),
      cell: (one) =>
        one.hosts === null ? (
          <span className="faint">{t('Any host')}</span>
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
    timeColumn(t('Updated'), (one) => one.updated_at),
    createActionsColumn((one) => (
      <>
        <IconButton
          label={t('Update {{name}}', { name: one.name })}
          size="small"
          icon={<PencilLine size={15} />}
          onClick={() => onReplace(one)}
        />
        <DeleteButton name={one.name} run={() => client.secrets.delete(one.name)} changes={[['secrets']]}>
          {t('Nodes that use this secret will fail. The value cannot be restored.')}
        </DeleteButton>
      </>
    )),
  ];
}

export function SecretsPage() {
  const secrets = useSecrets();
  const [open, setOpen] = useState<{ secret: Secret | null } | null>(null);
  const columns = useMemo(() => createColumns((secret) => setOpen({ secret })), []);
  return (
    <ResourceListPage
      title={t('Secrets')}
      lead={t(
        'Passwords, tokens and keys that workflows use by name. Values are encrypted and never shown again.',
      )}
      create={{ label: t('New secret'), onClick: () => setOpen({ secret: null }) }}
      columns={columns}
      query={secrets}
      items={secrets.data?.secrets}
      getKey={(one) => one.name}
      empty={{
        icon: LockKeyhole,
        title: t('No secrets yet'),
        text: tElements(
          'Store a token once and use it as {{sample}} in a node. You can limit a secret to specific hosts, so that no workflow can send it elsewhere.',
          { sample: <code>{'{{ secrets.NAME }}'}</code> },
        ),
      }}
    >
      {open !== null && <SecretDialog secret={open.secret} onClose={() => setOpen(null)} />}
    </ResourceListPage>
  );
}
