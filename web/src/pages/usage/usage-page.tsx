import { useMe } from '../../data/me.ts';
import { rateLimit } from '../../data/rate-limit.ts';
import { useStore } from '../../data/store.ts';
import { Page } from '../../ui/page.tsx';

const number = new Intl.NumberFormat();

export function UsagePage() {
  const me = useMe();
  const limit = useStore(rateLimit);
  return (
    <Page title="Usage" isNarrow>
      <dl className="facts">
        <dt>Plan</dt>
        <dd>{me?.plan}</dd>
        <dt>Requests this hour</dt>
        <dd className="numbers">
          {limit === null
            ? 'without a limit'
            : `${number.format(limit.limit - limit.remaining)} of ${number.format(limit.limit)}`}
        </dd>
      </dl>
    </Page>
  );
}
