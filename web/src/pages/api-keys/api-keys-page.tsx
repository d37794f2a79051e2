import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, NewApiKey } from 'weft-client';
import { client } from '../../data/client.ts';
import { useApiKeys } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
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
  { title: 'May', cell: (one) => <ScopeList scopes={one.scopes} /> },
  { title: 'Last used', className: 'table__tight', cell: (one) => <Time at={one.last_used_at} /> },
  {
    title: 'Made',
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Time at={one.created_at} />,
  },
  {
    title: 'Ends',
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Ends at={one.expires_at} />,
  },
  {
    title: '',
    className: 'table__tight',
    cell: (one) => (
      <div className="table__actions">
        <DeleteButton
          name={one.name}
          action="Revoke"
          run={() => client.apiKeys.delete(one.id)}
          changes={[['api-keys']]}
        >
          Whatever uses it is refused from this moment on. This cannot be taken back.
        </DeleteButton>
      </div>
    ),
  },
];

function Ends({ at }: { at: string | null }) {
  if (at === null) return <span className="faint">never</span>;
  return Date.parse(at) < Date.now() ? <Badge tone="warn">ended</Badge> : <Time at={at} />;
}

export function ApiKeysPage() {
  const url = useUrlState();
  const list = useApiKeys(url.page);
  const [isCreating, setIsCreating] = useState(false);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const create = (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setIsCreating(true)}>
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      lead="For programs of yours that call the service. Each can be revoked by itself."
      actions={create}
    >
      <ListTable
        label="API keys"
        columns={columns}
        items={list.data?.api_keys}
        keyOf={(one) => one.id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          <EmptyState icon={<KeyRound size={20} />} title="No keys yet">
            A key lets a script or another service call the API as you:{' '}
            <code>curl -H &quot;X-API-Key: …&quot; {location.origin}/v1/workflows</code>. Give each program
            its own, with no more than it needs.
          </EmptyState>
        }
      />
      {isCreating && (
        <CreateKeyDialog
          onClose={() => setIsCreating(false)}
          onMade={(key) => {
            setIsCreating(false);
            setMade(key);
          }}
        />
      )}
      {made !== null && (
        <SecretReveal
          title={`The key “${made.name}”`}
          values={[{ label: 'Key', value: made.key }]}
          onClose={() => setMade(null)}
        />
      )}
    </Page>
  );
}
