import type { ReactNode } from 'react';

/** The empty state of a list: what the resource is for, and the first step. */
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
