import { useEffect, useRef, useState } from 'react';

/**
 * The text of a value while it is typed: `1.` is kept although it means 1. Reset when the value changes
 * elsewhere, as by undo.
 */
export function useDraft(
  value: unknown,
  print: (value: unknown) => string,
): [text: string, edit: (text: string, means: unknown) => void] {
  const [text, setText] = useState(() => print(value));
  const message = useRef(value);
  useEffect(() => {
    if (Object.is(message.current, value)) return;
    message.current = value;
    setText(print(value));
  }, [value, print]);
  return [
    text,
    (next, means) => {
      message.current = means;
      setText(next);
    },
  ];
}
