import { useMe } from '../../data/me.ts';
import { Page } from '../../ui/page.tsx';

export function AccountPage() {
  const me = useMe();
  return (
    <Page title="Account" isNarrow>
      <dl className="facts">
        <dt>Email</dt>
        <dd>{me?.email}</dd>
        <dt>Name</dt>
        <dd>{me?.name}</dd>
        <dt>Role</dt>
        <dd>{me?.role}</dd>
        <dt>Plan</dt>
        <dd>{me?.plan}</dd>
      </dl>
    </Page>
  );
}
