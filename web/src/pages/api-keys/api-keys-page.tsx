import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, NewApiKey } from 'weft-client';
import { client } from '../../data/client.ts';
import { useApiKeys } from '../../data/lists.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { actionsColumn, timeColumn, type Column } from '../../ui/list-table.tsx';
import { ResourceListPage } from '../../ui/resource-list-page.tsx';
import { ScopeList } from '../../ui/scope-picker.tsx';
import { SecretReveal } from '../../ui/secret-reveal.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

const columns: readonly Column<ApiKey>[] = [
  {
    title: 'Name',
    cell: (one) => (
      <>
        <span className="table__main">{one.name}</span>
        <span className="table__sub">
          <code>{one.prefix}…</code>
        </span>
      </>
    ),
  },
  { title: 'Scopes', cell: (one) => <ScopeList scopes={one.scopes} /> },
  timeColumn('Last used', (one) => one.last_used_at, false),
  timeColumn('Created', (one) => one.created_at),
  {
    title: 'Expires',
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Expiry at={one.expires_at} />,
  },
  actionsColumn((one) => (
    <DeleteButton
      name={one.name}
      action="Revoke"
      run={() => client.apiKeys.delete(one.id)}
      changes={[['api-keys']]}
    >
      Requests with this key are rejected immediately. This cannot be undone.
    </DeleteButton>
  )),
];

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span className="faint">Never</span>;
  return Date.parse(at) < Date.now() ? <Badge tone="warn">Expired</Badge> : <Time at={at} />;
}

export function ApiKeysPage() {
  const keys = useApiKeys();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  return (
    <ResourceListPage
      title="API keys"
      lead="API keys let your scripts and services call the API as you."
      create={{ label: 'New API key', onClick: () => setIsCreating(true) }}
      columns={columns}
      query={keys}
      items={keys.data?.api_keys}
      keyOf={(one) => one.id}
      empty={{
        icon: KeyRound,
        title: 'No API keys yet',
        text: (
          <>
            Send a key in the <code>X-API-Key</code> header:{' '}
            <code>curl -H &quot;X-API-Key: …&quot; {location.origin}/v1/workflows</code>. Create one key per
            program, with only the scopes that it needs.
          </>
        ),
      }}
    >
      {isCreating && (
        <CreateKeyDialog
          onClose={() => setIsCreating(false)}
          onMade={(key) => {
            setIsCreating(false);
            setCreated(key);
          }}
        />
      )}
      {created !== null && (
        <SecretReveal
          title={`API key “${created.name}”`}
          values={[{ label: 'Key', value: created.key }]}
          onClose={() => setCreated(null)}
        />
      )}
    </ResourceListPage>
  );
}
