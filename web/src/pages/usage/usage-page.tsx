import { useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import { rateLimit, type RateLimit } from '../../data/rate-limit.ts';
import { useStore } from '../../data/store.ts';
import { formatPlan } from '../../data/words.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { locale, t, tElements } from '../../i18n/index.ts';

const number = new Intl.NumberFormat(locale);
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

export function UsagePage() {
  const me = useCurrentUser();
  const limit = useStore(rateLimit);
  // Every response includes the remaining quota; this request makes it current when the page opens.
  const fresh = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => client.users.me({ signal }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Page
      title={t('Usage')}
      lead={t(
        'API requests that count toward the hourly limit of your plan, including those of your API keys.',
      )}
      isNarrow
    >
      <div className="stack">
        {fresh.error !== null && <ErrorAlert error={fresh.error} onRetry={() => void fresh.refetch()} />}
        <section className="card" aria-labelledby="usage-now">
          <div className="card__head">
            <h2 className="card__title" id="usage-now">
              {t('Plan: {{plan}}', { plan: formatPlan(me?.plan) })}
            </h2>
          </div>
          <div className="card__body">
            {limit !== null ? (
              <Meter limit={limit} />
            ) : fresh.isPending ? (
              <Skeleton />
            ) : (
              <p>{t('Your plan has no limit.')}</p>
            )}
          </div>
        </section>
        <section className="card" aria-labelledby="usage-what">
          <div className="card__head">
            <h2 className="card__title" id="usage-what">
              {t('How requests are counted')}
            </h2>
          </div>
          <ul className="card__body usage__list">
            <li>
              {t(
                'Each REST request and each GraphQL operation counts as one request, including those of this editor.',
              )}
            </li>
            <li>{t('WebSocket messages do not count. Webhooks have a separate limit.')}</li>
            <li>
              {t('The hour starts with your first request. You are notified at 80% and 100% of the limit.')}
            </li>
            <li>
              {t(
                'Above the limit, requests are rejected with status 429 until the hour ends. Workflows keep running.',
              )}
            </li>
          </ul>
        </section>
      </div>
    </Page>
  );
}

function Meter({ limit: { limit, remaining, resetAt } }: { limit: RateLimit }) {
  const used = Math.max(0, limit - remaining);
  const share = Math.min(100, (used / limit) * 100);
  return (
    <>
      <div className="usage__figures">
        <span>
          <span className="usage__used numbers">{number.format(used)}</span>{' '}
          <span className="soft numbers">{t('of {{limit}} requests', { limit: number.format(limit) })}</span>
        </span>
        <span className="faint">
          {tElements('Resets {{time}}, at {{clock}}', {
            time: <Time at={new Date(resetAt).toISOString()} />,
            clock: clock.format(resetAt),
          })}
        </span>
      </div>
      <div
        className={joinClassNames('meter', share >= 100 ? 'meter--bad' : share >= 80 && 'meter--warn')}
        role="meter"
        aria-label={t('Requests used this hour')}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
      >
        <div className="meter__fill" style={{ width: `${share}%` }} />
      </div>
    </>
  );
}
