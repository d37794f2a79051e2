import { Skeleton } from '../ui/skeleton.tsx';

/** While the code of a page is on its way. */
export function PageLoading() {
  return (
    <div className="page" role="status" aria-label="Loading">
      <div className="stack">
        <Skeleton width="12rem" />
        <Skeleton width="26rem" />
        <Skeleton />
        <Skeleton />
      </div>
    </div>
  );
}
