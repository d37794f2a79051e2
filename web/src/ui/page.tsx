import { useEffect, useRef, type ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';

/** One page: its title (also the document's), description, actions and contents. */
export function Page({
  title,
  lead,
  actions,
  isNarrow = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  isNarrow?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Weft`;
  }, [title]);
  return (
    <div className={joinClassNames('page', isNarrow && 'page--narrow')}>
      <header className="page__head">
        <div>
          <h1 className="page__title" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="page__lead">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page__actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
