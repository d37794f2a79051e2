import { flushSync } from 'react-dom';
import { useEffect, useId, useRef, useState, type DragEvent, type KeyboardEvent } from 'react';
import { joinClassNames } from '../../ui/class-names.ts';
import {
  complete,
  completeBarePath,
  extractInputPath,
  applyCompletion,
  type Completion,
} from '../model/completion.ts';
import type { InsertTarget } from '../data/inserter.ts';
import { findDropOffset, readDroppedPath, isPathDrag } from '../data/path-drag.ts';
import { insertPath, type PathSegments } from '../model/insert-path.ts';
import { useForm } from './form-context.ts';
import type { FieldPath } from '../model/field-path.ts';
import { buildFieldScope } from '../model/template-scope.ts';
import { TemplatePreview } from './preview.tsx';
import { t } from '../../i18n/index.ts';

/** A text input for templates, with completion and a preview of the result. */
export function TemplateInput({
  fieldPath,
  text,
  onText,
  id,
  describedBy,
  isInvalid,
  isLong = false,
  isMono = false,
  isPath = false,
  placeholder,
  value = text,
}: {
  /** Of the field in the configuration. */
  fieldPath: FieldPath;
  text: string;
  /** The value that the text stands for, where it is JSON; the preview shows its result. */
  value?: unknown;
  onText: (text: string) => void;
  id: string;
  describedBy?: string | undefined;
  isInvalid: boolean;
  isLong?: boolean;
  isMono?: boolean;
  /** Takes a path in the input. `{{ input.name }}` becomes such a path when the field is left. */
  isPath?: boolean;
  placeholder?: string | undefined;
}) {
  const form = useForm();
  const scope = buildFieldScope(form.scope, form.secretFields, fieldPath);
  const list = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [offered, setOffered] = useState<Completion | null>(null);
  const [activeIndex, setActiveIndex] = useState(0);
  // Stays open after blur: if the preview closed, a button that is being pressed would move away.
  const [wasActive, setWasActive] = useState(false);

  const [isDropTarget, setIsDropTarget] = useState(false);

  const moveCursor = (cursor: number): void => {
    // The text is in the field only after the render.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(cursor, cursor);
    });
  };
  /** At the cursor, or at an offset where it was dropped. */
  const insert = (segments: PathSegments, offset: number | null): boolean => {
    const field = area.current;
    if (field === null) return false;
    const selection =
      offset === null ? { from: field.selectionStart, to: field.selectionEnd } : { from: offset, to: offset };
    const next = insertPath(text, selection, segments, isPath);
    if (next === null) return false;
    onText(next.text);
    setOffered(null);
    moveCursor(next.cursor);
    return true;
  };
  const target = useInsertTarget((segments) => insert(segments, null));
  const onDrop = (event: DragEvent<HTMLTextAreaElement>): void => {
    setIsDropTarget(false);
    if (!isPathDrag(event)) return;
    event.preventDefault();
    insert(readDroppedPath(event), findDropOffset(event) ?? text.length);
  };

  const offer = (value: string, cursor: number): void => {
    const isTemplate = !isPath || value.includes('{{');
    setOffered(isTemplate ? complete(value, cursor, scope) : completeBarePath(value, cursor, scope));
    setActiveIndex(0);
  };
  const accept = (index: number): void => {
    const option = offered?.options[index];
    if (offered === null || option === undefined) return;
    const next = applyCompletion(text, offered, option);
    // Renders the text at once, so that the next key is typed behind it.
    flushSync(() => {
      onText(next.text);
      setOffered(null);
    });
    const field = area.current;
    if (field === null) return;
    field.focus();
    field.setSelectionRange(next.cursor, next.cursor);
    if (option.insert.endsWith('.')) offer(next.text, next.cursor);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const { key } = event;
    if (offered !== null) {
      const count = offered.options.length;
      if (key === 'ArrowDown' || key === 'ArrowUp')
        setActiveIndex((activeIndex + (key === 'ArrowDown' ? 1 : count - 1)) % count);
      else if (key === 'Enter' || key === 'Tab') accept(activeIndex);
      else if (key === 'Escape') {
        event.stopPropagation();
        setOffered(null);
      } else return;
      event.preventDefault();
    } else if (key === ' ' && event.ctrlKey) {
      event.preventDefault();
      offer(text, event.currentTarget.selectionStart);
    } else if (key === 'Enter' && !isLong && !event.shiftKey) event.preventDefault();
  };
  const optionId = (index: number): string => `${list}-${index}`;

  return (
    <div className="template-input">
      <textarea
        ref={area}
        id={id}
        className={joinClassNames(
          'input',
          'template-input__text',
          isLong && 'template-input__text--long',
          isMono && 'input--mono',
          isDropTarget && 'template-input__text--target',
        )}
        rows={1}
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        aria-autocomplete="list"
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        {...(offered === null
          ? {}
          : { 'aria-controls': list, 'aria-activedescendant': optionId(activeIndex) })}
        onChange={({ target }) => {
          onText(target.value);
          offer(target.value, target.selectionStart);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setWasActive(true);
          form.inserter.select(target);
          if (isPath && text === '') offer('', 0);
        }}
        onBlur={() => {
          setOffered(null);
          const path = isPath ? extractInputPath(text, scope) : null;
          if (path !== null) onText(path);
        }}
        onDragOver={(event) => {
          if (!isPathDrag(event)) return;
          event.preventDefault();
          event.dataTransfer.dropEffect = 'copy';
          setIsDropTarget(true);
        }}
        onDragLeave={() => setIsDropTarget(false)}
        onDrop={onDrop}
      />
      {offered !== null && (
        <ul className="options" id={list} role="listbox" aria-label={t('Suggestions')}>
          {offered.options.map((option, index) => (
            <li
              key={option.label + option.detail}
              id={optionId(index)}
              role="option"
              aria-selected={index === activeIndex}
              className="options__item"
              ref={index === activeIndex ? scrollIntoView : undefined}
              onMouseDown={(event) => {
                // The field keeps the focus.
                event.preventDefault();
                accept(index);
              }}
            >
              <span className="options__label">{option.label}</span>
              <span className="options__detail">{option.detail}</span>
            </li>
          ))}
        </ul>
      )}
      {!isPath && <TemplatePreview value={value} isActive={wasActive} />}
    </div>
  );
}

/** The field as a target of the inserter, until it is unmounted. */
function useInsertTarget(insert: InsertTarget['insert']): InsertTarget {
  const { inserter } = useForm();
  const latest = useRef(insert);
  useEffect(() => {
    latest.current = insert;
  });
  const [target] = useState<InsertTarget>(() => ({ insert: (segments) => latest.current(segments) }));
  useEffect(() => () => inserter.remove(target), [inserter, target]);
  return target;
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
