import { Skeleton } from '../ui/skeleton.tsx';
import { t } from '../i18n/index.ts';

/** Shown while the code of a page loads. */
export function PageLoading() {
  return (
    <div className="page" role="status" aria-label={t('Loading')}>
      <div className="stack">
        <Skeleton width="12rem" />
        <Skeleton width="26rem" />
        <Skeleton />
        <Skeleton />
      </div>
    </div>
  );
}
