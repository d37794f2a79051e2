import { ChevronRight, CircleAlert, Plus, Trash2 } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import type { FieldPath } from '../model/field-path.ts';
import { toSentenceCase, t } from '../../i18n/index.ts';

/** The props of a section. */
export type SectionProps = {
  readonly title: string;
  readonly description: string | null;
  readonly isRequired: boolean;
  readonly fieldPath: FieldPath;
  readonly value: unknown;
  readonly error: string | null;
};

/** A collapsible section of fields. An optional section can be added and removed. */
export function Section({
  title,
  description,
  error,
  summary,
  isSet,
  choices,
  onAdd,
  onRemove,
  children,
}: Pick<SectionProps, 'title' | 'description' | 'error'> & {
  /** The number of entries, next to the title. */
  summary?: string | undefined;
  isSet: boolean;
  /** The kinds of entries that can be added, if there are several. */
  choices?: readonly { readonly label: string; readonly onAdd: () => void }[] | undefined;
  onAdd?: (() => void) | undefined;
  /** Undefined: the section is required. */
  onRemove?: (() => void) | undefined;
  children: ReactNode;
}) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(true);
  if (!isSet) {
    const add = (onClick?: () => void) => (
      <Button
        size="small"
        variant="quiet"
        icon={<Plus size={14} />}
        onClick={onClick}
        {...(description === null ? {} : { 'aria-describedby': `${id}-about` })}
      >
        {title}
      </Button>
    );
    return (
      <div className="section section--unset">
        {choices === undefined ? (
          add(onAdd)
        ) : (
          <Menu align="start" trigger={add()}>
            {choices.map(({ label, onAdd: onChoose }) => (
              <MenuItem key={label} onSelect={onChoose}>
                {label}
              </MenuItem>
            ))}
          </Menu>
        )}
        {description !== null && (
          <p className="field__hint section__about" id={`${id}-about`}>
            {description}
          </p>
        )}
        <SectionError text={error} />
      </div>
    );
  }
  return (
    <section className="section" aria-labelledby={`${id}-title`}>
      <header className="section__head">
        <button
          type="button"
          className="section__toggle"
          aria-expanded={isOpen}
          id={`${id}-title`}
          onClick={() => setIsOpen(!isOpen)}
        >
          <ChevronRight size={14} aria-hidden="true" />
          {title}
          {summary !== undefined && <span className="section__summary">{summary}</span>}
        </button>
        {onRemove !== undefined && (
          <IconButton
            size="small"
            icon={<Trash2 size={13} />}
            label={t('Remove {{name}}', { name: toSentenceCase(title) })}
            onClick={onRemove}
          />
        )}
      </header>
      <SectionError text={error} />
      {isOpen && (
        <div className="section__body">
          {description !== null && <p className="field__hint">{description}</p>}
          {children}
        </div>
      )}
    </section>
  );
}

function SectionError({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className="field__error" role="alert">
      <CircleAlert size={13} aria-hidden="true" />
      <span>{text}</span>
    </p>
  );
}
