import { ShieldCheck } from 'lucide-react';
import type { OAuthGrant } from 'weft-client';
import { client } from '../../data/client.ts';
import { useOAuthGrants } from '../../data/lists.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { ScopeList } from '../../ui/scope-picker.tsx';
import { Time } from '../../ui/time.tsx';

const columns: readonly Column<OAuthGrant>[] = [
  {
    title: 'Application',
    cell: (one) => (
      <span className="row">
        <span className="table__main">{one.client_name}</span>
        {one.registered_by === 'itself' && <Badge tone="warn">registered itself</Badge>}
      </span>
    ),
  },
  { title: 'May', cell: (one) => <ScopeList scopes={one.scopes} /> },
  { title: 'Since', className: 'table__tight', cell: (one) => <Time at={one.created_at} /> },
  {
    title: 'Ends',
    className: 'table__tight table__narrow-hide',
    cell: (one) => <Time at={one.expires_at} />,
  },
  {
    title: '',
    className: 'table__tight',
    cell: (one) => (
      <div className="table__actions">
        <DeleteButton
          name={one.client_name}
          action="Take back"
          run={() => client.oauth.grants.delete(one.id)}
          changes={[['oauth-grants']]}
        >
          Its tokens stop working at once. It can ask you again.
        </DeleteButton>
      </div>
    ),
  },
];

/** What the person has allowed to applications. */
export function Grants() {
  const url = useUrlState();
  const list = useOAuthGrants(url.page);
  return (
    <ListTable
      label="What I allowed"
      columns={columns}
      items={list.data?.grants}
      keyOf={(one) => one.id}
      place={list.data?.pagination}
      onPage={url.setPage}
      error={list.error}
      onRetry={() => void list.refetch()}
      empty={
        <EmptyState icon={<ShieldCheck size={20} />} title="You have allowed nothing to any application">
          When an application asks to act for you, you are shown what it wants. What you allow stands here,
          and can be taken back.
        </EmptyState>
      }
    />
  );
}
