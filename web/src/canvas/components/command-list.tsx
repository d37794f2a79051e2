import { Search } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Point } from '../model/document.ts';

export type Choice = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly icon: ReactNode;
  readonly group: string;
};

export type ChooserProps = {
  readonly label: string;
  readonly placeholder: string;
  /** The initial text. */
  readonly initialText?: string;
  /** The choices that match a text, best first. */
  readonly search: (text: string) => readonly Choice[];
  /** Called when the text changes, for a search elsewhere. */
  readonly onText?: (text: string) => void;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
  /** The position on the screen, moved into view if necessary; null: the upper middle. */
  readonly anchor: Point | null;
  readonly empty: string;
};

/** The maximum height of the list in px, as in the style sheet. */
const HEIGHT_PX = 420;
const MARGIN_PX = 12;

/** A searchable list over the canvas, used with the arrow keys and Enter. */
export function Chooser({
  label,
  placeholder,
  initialText = '',
  search,
  onText,
  onChoose,
  onClose,
  anchor,
  empty,
}: ChooserProps) {
  const id = useId();
  const [text, setText] = useState(initialText);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const choices = useMemo(() => search(text), [search, text]);
  const isGrouped = text.trim() === '';

  useLayoutEffect(() => {
    const width = frame.current!.offsetWidth;
    const { x, y } = anchor ?? { x: (innerWidth - width) / 2, y: innerHeight / 4 };
    const left = Math.max(MARGIN_PX, Math.min(x, innerWidth - width - MARGIN_PX));
    const top = Math.max(MARGIN_PX, Math.min(y, innerHeight - HEIGHT_PX - MARGIN_PX));
    Object.assign(frame.current!.style, { left: `${left}px`, top: `${top}px` });
  }, [anchor]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active, text]);
  useEffect(() => {
    const onDown = (event: PointerEvent): void => {
      if (event.target instanceof Node && frame.current?.contains(event.target) !== true) onClose();
    };
    document.addEventListener('pointerdown', onDown, true);
    return () => document.removeEventListener('pointerdown', onDown, true);
  }, [onClose]);

  const go = (by: number): void =>
    setActive((now) => (choices.length === 0 ? 0 : (now + by + choices.length) % choices.length));
  return (
    <div className="chooser" ref={frame} role="dialog" aria-label={label}>
      <div className="chooser__search">
        <Search size={15} aria-hidden="true" />
        <input
          autoFocus
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={choices[active] === undefined ? undefined : `${id}-${active}`}
          aria-autocomplete="list"
          placeholder={placeholder}
          value={text}
          onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
          onChange={({ target }) => {
            setText(target.value);
            onText?.(target.value);
            setActive(0);
          }}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'ArrowDown') go(1);
            else if (event.key === 'ArrowUp') go(-1);
            else if (event.key === 'Escape' || event.key === 'Tab') onClose();
            else if (event.key === 'Enter') {
              const choice = choices[active];
              if (choice !== undefined) onChoose(choice.id);
            } else return;
            event.preventDefault();
          }}
        />
      </div>
      <div
        className="chooser__list"
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        ref={list}
        tabIndex={-1}
      >
        {choices.map((choice, i) => (
          <Row
            key={choice.id}
            id={`${id}-${i}`}
            choice={choice}
            isActive={i === active}
            heading={
              isGrouped && choice.group !== '' && choice.group !== choices[i - 1]?.group ? choice.group : null
            }
            onPoint={() => setActive(i)}
            onChoose={() => onChoose(choice.id)}
          />
        ))}
      </div>
      {choices.length === 0 && <p className="chooser__empty">{empty}</p>}
    </div>
  );
}

function Row({
  id,
  choice,
  isActive,
  heading,
  onPoint,
  onChoose,
}: {
  id: string;
  choice: Choice;
  isActive: boolean;
  heading: string | null;
  onPoint: () => void;
  onChoose: () => void;
}) {
  return (
    <>
      {heading !== null && (
        <div className="chooser__group" role="presentation">
          {heading}
        </div>
      )}
      <div
        id={id}
        className="chooser__row"
        role="option"
        aria-selected={isActive}
        onPointerMove={onPoint}
        onClick={onChoose}
      >
        {choice.icon}
        <span className="chooser__words">
          <span className="chooser__title">{choice.title}</span>
          <span className="chooser__detail">{choice.detail}</span>
        </span>
      </div>
    </>
  );
}
