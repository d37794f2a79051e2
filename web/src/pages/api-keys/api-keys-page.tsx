import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, NewApiKey } from 'weft-client';
import { client } from '../../data/client.ts';
import { useApiKeys } from '../../data/lists.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { ScopeList } from '../../ui/scope-picker.tsx';
import { SecretReveal } from '../../ui/secret-reveal.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { t, tElements } from '../../i18n/index.ts';

const columns: readonly Column<ApiKey>[] = [
  {
    title: t('Name'),
    cell: (one) => (
      <>
        <span className="table__main">{one.name}</span>
        <span className="table__sub">
          <code>{one.prefix}…</code>
        </span>
      </>
    ),
  },
  { title: t('Scopes'), cell: (one) => <ScopeList scopes={one.scopes} /> },
  timeColumn(t('Last used'), (one) => one.last_used_at, false),
  timeColumn(t('Created'), (one) => one.created_at),
  {
    title: t('Expires'),
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Expiry at={one.expires_at} />,
  },
  createActionsColumn((one) => (
    <DeleteButton
      name={one.name}
      action="revoke"
      run={() => client.apiKeys.delete(one.id)}
      changes={[['api-keys']]}
    >
      {t('Requests with this key are rejected immediately. This cannot be undone.')}
    </DeleteButton>
  )),
];

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span className="faint">{t('never')}</span>;
  return Date.parse(at) < Date.now() ? <Badge tone="warn">{t('Expired')}</Badge> : <Time at={at} />;
}

export function ApiKeysPage() {
  const keys = useApiKeys();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  return (
    <ResourceListPage
      title={t('API keys')}
      lead={t('API keys let your scripts and services call the API as you.')}
      create={{ label: t('New API key'), onClick: () => setIsCreating(true) }}
      columns={columns}
      query={keys}
      items={keys.data?.api_keys}
      getKey={(one) => one.id}
      empty={{
        icon: KeyRound,
        title: t('No API keys yet'),
        text: tElements(
          'Send a key in the {{header}} header: {{command}}. Create one key per program, with only the scopes that it needs.',
          {
            header: <code>X-API-Key</code>,
            command: <code>{`curl -H "X-API-Key: …" ${location.origin}/v1/workflows`}</code>,
          },
        ),
      }}
    >
      {isCreating && (
        <CreateKeyDialog
          onClose={() => setIsCreating(false)}
          onCreated={(key) => {
            setIsCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created !== null && (
        <SecretReveal
          title={t('API key “{{name}}”', { name: created.name })}
          values={[{ label: t('Key'), value: created.key }]}
          onClose={() => setCreated(null)}
        />
      )}
    </ResourceListPage>
  );
}
