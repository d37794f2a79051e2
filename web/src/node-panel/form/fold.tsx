import { ChevronRight } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { t } from '../../i18n/index.ts';

/** A section that is collapsed at first. */
export function Fold({
  title,
  count,
  isOpenAtFirst = false,
  children,
}: {
  title: string;
  /** The number of values that are set in it. */
  count: number;
  isOpenAtFirst?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <section className="fold" aria-labelledby={id}>
      <button
        type="button"
        className="section__toggle"
        id={id}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <ChevronRight size={14} aria-hidden="true" />
        {title}
        {count > 0 && <span className="section__summary">{t('{{number}} set', { number: count })}</span>}
      </button>
      {isOpen && <div className="fold__body">{children}</div>}
    </section>
  );
}
