import type { ReactNode } from 'react';

/** What stands where nothing is yet: what the thing is for, and the first step. */
export function EmptyState({
  icon,
  title,
  children,
  actions,
}: {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty__icon" aria-hidden="true">
        {icon}
      </span>
      <h2 className="empty__title">{title}</h2>
      {children !== undefined && <div className="empty__text">{children}</div>}
      {actions !== undefined && <div className="empty__actions">{actions}</div>}
    </div>
  );
}
