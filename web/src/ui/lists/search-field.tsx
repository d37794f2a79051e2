import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Input } from '../field.tsx';

/** The debounce delay in ms. */
const DEBOUNCE_MS = 250;

/** Calls back with the text after a debounce, so that not every key sends a request. */
export function SearchField({
  label,
  value,
  onChange,
  hasShortcut = true,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Whether `/` focuses the field: for one field of a page. */
  hasShortcut?: boolean;
}) {
  const [text, setText] = useState(value);
  const message = useRef(value);
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (value === message.current) return;
    message.current = value;
    setText(value);
  }, [value]);

  useEffect(() => {
    if (text === message.current) return;
    const timer = setTimeout(() => {
      message.current = text;
      onChange(text);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);

  useEffect(() => {
    if (!hasShortcut) return;
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [hasShortcut]);

  return (
    <span className="search">
      <Search size={14} aria-hidden="true" />
      <Input
        ref={input}
        type="search"
        aria-label={label}
        {...(hasShortcut ? { 'aria-keyshortcuts': '/' } : {})}
        placeholder={`${label}…`}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </span>
  );
}
