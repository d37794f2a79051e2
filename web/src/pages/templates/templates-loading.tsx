import { Skeleton } from '../../ui/skeleton.tsx';

export function TemplatesLoading() {
  return (
    <ul className="templates" aria-hidden="true">
      {Array.from({ length: 6 }, (_, i) => (
        <li key={i} className="template-card">
          <Skeleton width="9rem" />
          <Skeleton />
          <Skeleton width="70%" />
        </li>
      ))}
    </ul>
  );
}
