import { useEffect, useRef, useState } from 'react';

/**
 * A text that stands for a value while it is typed: `1.` stays `1.` though it means 1. Taken anew when the value changes
 * elsewhere, as by an undo.
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
